# Kept in step with Package.swift by scripts/podspec_check.py; that the sources compile as one module is checked by
# scripts/apple-typecheck. CocoaPods itself has not been run on this file.
Pod::Spec.new do |s|
  s.name = 'SteadySocket'
  s.version = '0.1.0'
  s.summary = 'One healthy WebSocket per foreground session and identity.'
  s.license = { :type => 'MIT', :file => 'LICENSE' }
  s.authors = 'The SteadySocket authors'
  # Both to be set to the public address of the repository before the first release.
  s.homepage = 'https://example.com/steadysocket'
  s.source = { :git => 'https://example.com/steadysocket.git', :tag => s.version.to_s }

  s.ios.deployment_target = '16.0'
  s.osx.deployment_target = '13.0'
  s.tvos.deployment_target = '16.0'
  s.watchos.deployment_target = '9.0'
  s.visionos.deployment_target = '1.0'

  s.ios.frameworks = 'Network', 'Security', 'UIKit'
  s.osx.frameworks = 'AppKit', 'Network', 'Security'
  s.tvos.frameworks = 'Network', 'Security', 'UIKit'
  s.watchos.frameworks = 'Network', 'Security', 'UIKit', 'WatchKit'
  s.visionos.frameworks = 'Network', 'Security', 'UIKit'

  # A pod is one module, so the package's targets become one, and their imports of each other go.
  s.prepare_command = 'scripts/pod-prepare'
  s.source_files =
    'Sources/ConnectionCore/**/*.swift',
    'Sources/SteadySocket/**/*.swift',
    'Sources/SteadyTransport/**/*.swift',
    'Sources/URLSessionTransport/**/*.swift'

  s.swift_versions = ['6.2']
  s.pod_target_xcconfig = {
    'OTHER_SWIFT_FLAGS' => '-package-name steadysocket -enable-upcoming-feature InternalImportsByDefault',
    'APPLICATION_EXTENSION_API_ONLY' => 'YES'
  }
end
