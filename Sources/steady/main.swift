print("steady")
