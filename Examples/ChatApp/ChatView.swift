import SteadySocket
import SwiftUI

struct ChatView: View {
    let model: ChatModel
    @State private var draft = ""

    var body: some View {
        VStack {
            StatusLine(status: model.connection.status)
            List(model.lines) { line in
                Text(line.isMine ? "Me: \(line.text)" : line.text)
            }
            if let problem = model.problem {
                Text(problem)
            }
            HStack {
                TextField("Message", text: $draft)
                Button("Send") { send() }
                    .disabled(draft.isEmpty)
            }
            .padding()
        }
    }

    private func send() {
        let text = draft
        draft = ""
        Task { await model.send(text) }
    }
}

/// What the connection is doing, in the user's words.
struct StatusLine: View {
    let status: ConnectionStatus

    var body: some View { Text(words) }

    private var words: String {
        switch status {
        case .idle: "Signed out"
        case .waiting(_, let delay, _): "Next try in \(delay.components.seconds) s"
        case .opening: "Connecting"
        case .open: "Connected"
        case .closing: "Closing"
        case .held(.background): "Asleep"
        case .held(.offline): "No network"
        case .held(.refused): "Please sign in again"
        }
    }
}
