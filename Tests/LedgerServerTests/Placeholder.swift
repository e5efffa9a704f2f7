// LedgerServer
