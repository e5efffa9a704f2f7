import SteadySocket

let socket = SteadySocket()  // platform transport, lifecycle and network path
let channel = try Channel("wss://chat.example/ws?user=mary")

let messages = socket.messages
let reader = Task { for await message in messages { print(message) } }
socket.connect(to: channel)  // asks; the socket opens 1.5 s after the last ask
try await socket.send(.text("hi"), whenOpen: .seconds(30))
print(socket.status)  // "open #1", "waiting 12.4 s: server said 1012", "held: background"
socket.disconnect()  // closes with 1000
