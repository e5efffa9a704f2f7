// PeerSupport
