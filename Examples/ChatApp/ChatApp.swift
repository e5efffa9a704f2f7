import SteadySocket
import SwiftUI

/// One connection for the whole app, whatever its windows.
@main struct ChatApp: App {
    @State private var model = ChatModel()

    var body: some Scene {
        WindowGroup {
            ChatView(model: model)
                .task {
                    model.signIn(as: "mary")
                    await model.read()
                }
        }
    }
}
