"""`python -m dpdtree` runs the demonstration."""

from dpdtree.demo import main

if __name__ == "__main__":
    main()
