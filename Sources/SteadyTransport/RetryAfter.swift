#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The `Retry-After` of an answer (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// A year; a larger wish is cut to this.
    package static let maximumSeconds: Int64 = 366 * 86_400

    /// How long to wait, measured from the arrival of the answer; nil if `value` does not say so in a form that is
    /// allowed.
    ///
    /// A date counts from the `Date` of the answer, so that a wrong clock on this side does no harm; without one, from
    /// `now`. A date in the past is zero.
    package static func parse(_ value: String, date answered: String?, now: Date) -> Duration? {
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than 64 bits hold are a wish for very long.
            return .seconds(min(Int64(value) ?? .max, maximumSeconds))
        }
        guard let date = HTTPDate.seconds(value) else { return nil }
        let start = answered.flatMap(HTTPDate.seconds) ?? Int64(now.timeIntervalSince1970)
        return .seconds(min(max(0, date - start), maximumSeconds))
    }
}

/// A date in one of the three forms HTTP knows (RFC 9110 section 5.6.7).
enum HTTPDate {
    /// Seconds since 1970, nil if the text is not a date.
    static func seconds(_ text: String) -> Int64? {
        // Sun, 06 Nov 1994 08:49:37 GMT | Sunday, 06-Nov-94 08:49:37 GMT | Sun Nov  6 08:49:37 1994
        let words = text.split { $0 == " " || $0 == "-" || $0 == "," }
        if words.count == 6, words[5] == "GMT" { return seconds(words[3], words[2], words[1], words[4]) }
        if words.count == 5 { return seconds(words[4], words[1], words[2], words[3]) }
        return nil
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func seconds(
        _ yearText: Substring, _ monthText: Substring, _ dayText: Substring, _ timeText: Substring
    ) -> Int64? {
        let time = timeText.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard var year = Int64(yearText), (0...9999).contains(year),
            let index = months.firstIndex(of: String(monthText)),
            let day = Int64(dayText), (1...31).contains(day), time.count == 3,
            let hour = time[0], (0...23).contains(hour), let minute = time[1], (0...59).contains(minute),
            let second = time[2], (0...60).contains(second)
        else { return nil }
        // Two digits, of the obsolete second form.
        if yearText.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
        return days(year, Int64(index) + 1, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01 in the Gregorian calendar, with the year taken to begin in March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
