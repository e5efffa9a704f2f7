/// What a person does with the app in a day, and what the system does to it. Seconds where not said otherwise.
package struct UsageLaw: Sendable {
    /// Visits of an active user per day: negative binomial with this mean, at least one. Default 5.26, which with
    /// `continues` makes the 8.09 segments of an active day.
    package var visits = 5.26
    /// The shape of the negative binomial. Default 2 (assumed; it hardly matters per segment).
    package var visitShape = 2.0
    /// Foreground segments are lognormal. Default median exp(3.096) = 22.1 and sigma 1.533: the mean is the 71.6 s of
    /// Böhmer 2011 (4,125 users), and 40 % are shorter than 15 s as in Ferreira 2014.
    package var segmentMedian = 22.1
    package var segmentSigma = 1.533
    /// The probability that a visit goes on after a short stay in the background. Default .35 (assumed).
    package var continues = 0.35
    /// Those stays are lognormal. Default median 12, sigma 1.3 (assumed).
    package var gapMedian = 12.0
    package var gapSigma = 1.3
    /// The probability that a visit starts a new process. Default 1 (assumed). With 0 the machine opens after 0.25 s
    /// instead of 1.5 s at each visit.
    package var coldLaunch = 1.0
    /// From the start of a segment to the identify call: lognormal. Default median 1, sigma .6 (fitted).
    package var identifyMedian = 1.0
    package var identifySigma = 0.6
    /// From the start of a segment to a second trigger: lognormal. Default median 2.3, sigma .9 (fitted); median 0 for none.
    package var triggerMedian = 2.3
    package var triggerSigma = 0.9
    /// The probability that identify changes the identity. Default .05 (fitted).
    package var changes = 0.05
    /// The share of iOS devices. Default .65 (fitted).
    package var iOSShare = 0.65
    /// From the background to the end of a socket nobody closes: uniform. Default 5 … 8 on iOS, where the system
    /// suspends the app a little before it takes the socket; 20 … 50 elsewhere, where a ping finds out (fitted).
    package var iOSLag = 5.0...8.0
    package var otherLag = 20.0...50.0
    /// The background time a system grants. Default 30 (Apple forum 391799 saw 30 and 15).
    package var backgroundBudget = 30.0
    /// Whether background time is granted at all. Default true. Only iOS suspends an app that has none.
    package var grantsBackgroundTime = true
    /// The probability that a Close frame sent in the background is lost. Default .03 (assumed).
    package var lostCloses = 0.03
    /// Mean time between losses of an open socket: exponential. Default 1,800 (assumed).
    package var dropEvery = 1800.0

    package init() {}

    /// Draws the visits of a day.
    func visits(using generator: inout FleetGenerator) -> Int {
        // A negative binomial is a Poisson whose mean is gamma distributed; with a whole shape the gamma is a sum of
        // exponentials.
        for _ in 0..<1000 {
            var mean = 0.0
            for _ in 0..<max(1, Int(visitShape)) { mean += generator.exponential(mean: visits / max(1, visitShape)) }
            var count = 0
            var time = generator.exponential(mean: 1)
            while time < mean {
                count += 1
                time += generator.exponential(mean: 1)
            }
            if count > 0 { return count }
        }
        return 1
    }
}
