#!/usr/bin/env bash
# Tests the package in a simulator, on a Mac with Xcode 26.4.
#   .github/scripts/test.sh [DESTINATION]      without one: iPhone 17 Pro, iOS 26.4
set -euo pipefail
cd "$(dirname "$0")/../.."

destination=${1:-"platform=iOS Simulator,name=iPhone 17 Pro,OS=26.4"}
mkdir -p .build
rm -rf .build/tests.xcresult
xcodebuild test -scheme SteadySocket-Package -destination "$destination" \
    -derivedDataPath .build/xcode -resultBundlePath .build/tests.xcresult CODE_SIGNING_ALLOWED=NO
