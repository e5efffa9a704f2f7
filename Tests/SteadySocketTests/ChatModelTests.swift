import Foundation
import SteadySocket
import SteadySocketTestKit
import Testing

/// The model of Examples/ChatApp, to which this folder links.
@MainActor @Suite struct ChatModelTests {
    @Test("the example asks, sends and reads over one socket")
    func conversation() async throws {
        let rig = Rig()
        let model = ChatModel(try #require(rig.socket))
        model.signIn(as: "mary & co")
        rig.advance(.seconds(2))
        #expect(rig.sockets.map(\.request.url.absoluteString) == ["wss://chat.example/ws?user=mary%20%26%20co"])

        await model.send("hi")
        #expect(model.lines == [ChatLine(id: 0, text: "hi", isMine: true)])
        #expect(model.problem == nil)

        let reader = Task { await model.read() }
        rig.run { rig.sockets[0].report(.message(.text("hello"))) }
        while model.lines.count < 2 { await Task.yield() }
        #expect(model.lines[1] == ChatLine(id: 1, text: "hello", isMine: false))
        reader.cancel()

        model.signOut()
        rig.run {}
        #expect(rig.closeCodes == [.normalClosure])
        #expect(model.lines.isEmpty)
    }

    @Test("the example shows why it could not send")
    func problem() async throws {
        let rig = Rig()
        let model = ChatModel(try #require(rig.socket))
        model.signOut()
        let sending = Task { await model.send("hi") }
        while rig.time.armedCount == 0 { await Task.yield() }
        rig.advance(.seconds(10))
        await sending.value
        #expect(model.lines.isEmpty)
        #expect(model.problem != nil)
    }
}
