// Testing has an overlay for AppKit and imports this module wherever both are imported. It is empty here.
