internal import SteadySocketTestKit

/// Makes the script of a seed.
struct Plan {
    private var draws: SeededGenerator
    private var script: [Happening] = []
    private var now: Int64 = 0
    /// What this world is about, as weights of the groups below.
    private let weights: [Int]

    static func script(seed: UInt64) -> [Happening] {
        var plan = Plan(seed: seed)
        plan.fill()
        return plan.script
    }

    private init(seed: UInt64) {
        draws = Dice(seed: seed).sequence(.plan)
        // Most worlds are about one thing, with some of everything else.
        var weights = Array(repeating: 2, count: 6)
        weights[draws.below(weights.count)] += 12
        self.weights = weights
    }

    private mutating func fill() {
        if draws.happens(percent: 20) { add(.server(server())) }
        if draws.happens(percent: 90) { add(.ask(.a)) }
        for _ in 0..<(5 + draws.below(60)) {
            pause()
            var choice = draws.below(weights.reduce(0, +))
            var group = 0
            while choice >= weights[group] {
                choice -= weights[group]
                group += 1
            }
            switch group {
            case 0: asking()
            case 1: visiting()
            case 2: travelling()
            case 3: serving()
            case 4: talking()
            default: misbehaving()
            }
        }
        pause()
    }

    private mutating func add(_ what: Happening.What) { script.append(Happening(at: now, what: what)) }

    /// Round times, so that what is independent often falls on one instant.
    private mutating func pause() {
        let quarter = Happening.second / 4
        switch draws.below(10) {
        case 0, 1: break
        case 2...5: now += Int64(draws.below(12)) * quarter
        case 6, 7: now += Int64(draws.below(60)) * quarter
        case 8: now += Int64(draws.below(80)) * Happening.second
        default: now += Int64(draws.below(5_000_000)) * 1000
        }
    }

    private mutating func asking() {
        switch draws.below(8) {
        case 0...4: add(.ask(draws.one(of: Happening.Place.allCases)))
        case 5: add(.disconnect(draws.one(of: [nil, nil, 1000, 4000])))
        case 6: add(.shutDown)
        default:
            // Start of a session, then who it is.
            add(.ask(.a))
            pause()
            add(.ask(.b))
            // Now and then somebody who cannot decide.
            guard draws.happens(percent: 30) else { return }
            for _ in 0..<10 {
                now += Happening.second
                add(.ask(draws.one(of: [.a, .b, .far])))
            }
        }
    }

    private mutating func visiting() {
        switch draws.below(6) {
        case 0: add(.background)
        case 1: add(.foreground)
        case 2: add(.expire)
        default:
            // A stay in the background, in which the system may freeze the app.
            add(.background)
            pause()
            if draws.happens(percent: 50) {
                let length = Int64(1 + draws.below(draws.happens(percent: 70) ? 30 : 600)) * Happening.second
                add(.sleep(length))
                if draws.happens(percent: 50) { now += length }
            }
            if draws.happens(percent: 40) { add(.path(draws.one(of: Happening.Route.allCases))) }
            if draws.happens(percent: 80) { add(.foreground) }
            if draws.happens(percent: 30) { add(.foreground) }
            if draws.happens(percent: 30) { add(.ask(.a)) }
        }
    }

    private mutating func travelling() {
        add(.path(draws.one(of: Happening.Route.allCases)))
        if draws.happens(percent: 50) {
            pause()
            add(.path(draws.one(of: [.wifi, .cellular])))
        }
    }

    private mutating func serving() {
        switch draws.below(8) {
        case 0...3: add(.server(server()))
        case 4, 5: add(.close(draws.one(of: [1000, 1001, 1008, 1011, 1012, 1013, 1002, 4001, 4500])))
        case 6: add(.drop)
        default: add(draws.one(of: [.mute, .deaf]))
        }
        if draws.happens(percent: 40) {
            pause()
            add(.server(.up))
        }
    }

    private mutating func server() -> Happening.Server {
        switch draws.below(10) {
        case 0, 1: .up
        case 2: .down
        case 3: .silent
        case 4: .refuses(status: 503, retryAfter: draws.one(of: [0, 1, 5, 30, 400]))
        case 5: .refuses(status: 429, retryAfter: draws.one(of: [0, 2, 60]))
        case 6: .refuses(status: draws.one(of: [401, 403]), retryAfter: 0)
        case 7: .refuses(status: 500, retryAfter: 0)
        case 8: .crashes(1008, after: Int64(draws.below(8)) * Happening.second / 4)
        default: .crashes(draws.one(of: [1011, 1012, 1013]), after: Int64(draws.below(40)) * Happening.second)
        }
    }

    private mutating func talking() {
        switch draws.below(7) {
        case 0: add(.send(waits: nil))
        case 1: for _ in 0..<(1 + draws.below(6)) { add(.send(waits: Int64(draws.below(40)) * Happening.second / 2)) }
        case 2: for _ in 0..<(1 + draws.below(8)) { add(.message) }
        case 3: add(.serverPing)
        case 4: add(.reader(on: false))
        default: add(.reader(on: true))
        }
    }

    private mutating func misbehaving() {
        switch draws.below(6) {
        case 0...2: add(.late(draws.one(of: Happening.LateFact.allCases)))
        case 3: add(.tick)
        case 4: add(.jump(Int64(draws.below(draws.happens(percent: 70) ? 12 : 240)) * Happening.second / 4))
        default: add(.sleep(Int64(1 + draws.below(240)) * Happening.second / 4))
        }
    }
}
