/// The candidate a mistyped word most likely means; nil if none is close.
func nearest(to word: String, among candidates: [String]) -> String? {
    if word.count >= 3, let extended = candidates.first(where: { $0.hasPrefix(word) }) { return extended }
    let limit = max(1, word.count / 3)
    let scored = candidates.map { (name: $0, distance: editDistance(word, $0)) }
    return scored.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1..<(left.count + 1) {
        var current = [row] + last.dropFirst()
        for column in 1..<(right.count + 1) {
            let replace = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
            current[column] = min(replace, last[column] + 1, current[column - 1] + 1)
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                current[column] = min(current[column], beforeLast[column - 2] + 1)
            }
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
