module toadstone

go 1.19
