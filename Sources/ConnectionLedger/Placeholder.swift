// ConnectionLedger
