"""Run the command line as `python -m chanceless`."""

from chanceless.cli import main

if __name__ == "__main__":
    main()
