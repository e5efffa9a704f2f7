// ConnectionCore
