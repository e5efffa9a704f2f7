/// The SHA-1 digest (FIPS 180-4 section 6.1). The opening handshake needs it; nothing here rests on its strength.
package func sha1(_ message: [UInt8]) -> [UInt8] {
    var padded = message
    padded.append(0x80)
    while padded.count % 64 != 56 { padded.append(0) }
    appendBigEndian(UInt64(message.count) * 8, to: &padded)

    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for block in stride(from: 0, to: padded.count, by: 64) {
        let schedule = messageSchedule(padded[block..<block + 64])
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for round in 0..<80 {
            let (mixed, constant) = roundFunction(round, b, c, d)
            let next = rotate(a, by: 5) &+ mixed &+ e &+ constant &+ schedule[round]
            (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    var digest: [UInt8] = []
    for word in state { appendBigEndian(word, to: &digest) }
    return digest
}

private func messageSchedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
        block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
        words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1))
    }
    return words
}

private func roundFunction(_ round: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> (UInt32, UInt32) {
    switch round {
    case 0..<20: ((b & c) | (~b & d), 0x5A82_7999)
    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
    case 40..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
    default: (b ^ c ^ d, 0xCA62_C1D6)
    }
}

private func rotate(_ word: UInt32, by count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

private func appendBigEndian(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
}
