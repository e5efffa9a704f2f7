// A stand-in for the part of Network that the adapter uses; see Stubs/UIKit/UIApplication.swift.

/// https://developer.apple.com/documentation/network/nwinterface
public struct NWInterface: Hashable, Sendable {
    /// https://developer.apple.com/documentation/network/nwinterface/interfacetype
    public enum InterfaceType: Hashable, Sendable {
        /// https://developer.apple.com/documentation/network/nwinterface/interfacetype/other
        case other
        /// https://developer.apple.com/documentation/network/nwinterface/interfacetype/wifi
        case wifi
        /// https://developer.apple.com/documentation/network/nwinterface/interfacetype/cellular
        case cellular
        /// https://developer.apple.com/documentation/network/nwinterface/interfacetype/wiredethernet
        case wiredEthernet
        /// https://developer.apple.com/documentation/network/nwinterface/interfacetype/loopback
        case loopback
    }

    /// https://developer.apple.com/documentation/network/nwinterface/type
    public let type: InterfaceType
    /// https://developer.apple.com/documentation/network/nwinterface/name
    public let name: String
    /// https://developer.apple.com/documentation/network/nwinterface/index
    public let index: Int

    /// An interface for a test.
    public init(_type type: InterfaceType, name: String, index: Int) {
        self.type = type
        self.name = name
        self.index = index
    }
}

/// https://developer.apple.com/documentation/network/nwendpoint
public enum NWEndpoint: Hashable, Sendable {
    /// https://developer.apple.com/documentation/network/nwendpoint/unix(path:)
    case unix(path: String)
}

/// https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Equatable, Sendable {
    /// https://developer.apple.com/documentation/network/nwpath/status-swift.enum
    public enum Status: Hashable, Sendable {
        /// https://developer.apple.com/documentation/network/nwpath/status-swift.enum/satisfied
        case satisfied
        /// https://developer.apple.com/documentation/network/nwpath/status-swift.enum/unsatisfied
        case unsatisfied
        /// https://developer.apple.com/documentation/network/nwpath/status-swift.enum/requiresconnection
        case requiresConnection
    }

    /// https://developer.apple.com/documentation/network/nwpath/status-swift.property
    public let status: Status
    /// https://developer.apple.com/documentation/network/nwpath/availableinterfaces
    public let availableInterfaces: [NWInterface]
    /// https://developer.apple.com/documentation/network/nwpath/gateways
    public var gateways: [NWEndpoint] = []
    /// https://developer.apple.com/documentation/network/nwpath/isexpensive
    public var isExpensive = false
    /// https://developer.apple.com/documentation/network/nwpath/isconstrained
    public var isConstrained = false

    /// A path for a test.
    public init(_status status: Status, interfaces: [NWInterface] = []) {
        self.status = status
        availableInterfaces = interfaces
    }
}
