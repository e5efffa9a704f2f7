import GleapRealtime

let realtime = try GleapRealtime(GleapConfiguration(apiKey: "key"))
let updates = Task {
    for await update in realtime.updates { print(update) }
}
realtime.start()  // POST /sessions; a stored identity is used again
try realtime.identify(GleapUser(id: "mary", hash: "…", name: "Mary"))  // waits for the start; then one socket
print(realtime.status)  // "session ready, socket open #1"
realtime.clearIdentity()  // logs out: closes with 1000, and goes on as a guest
