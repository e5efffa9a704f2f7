// Testing has an overlay for UIKit and imports this module wherever both are imported. It is empty here.
