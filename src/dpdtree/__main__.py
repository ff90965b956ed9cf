"""`python -m dpdtree` is the command `dpdtree`."""

from dpdtree.cli import main

if __name__ == "__main__":
    main()
