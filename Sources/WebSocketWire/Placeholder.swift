// WebSocketWire
