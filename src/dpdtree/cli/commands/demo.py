"""`dpdtree demo`."""

from __future__ import annotations

from dpdtree.cli._click import click


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="dpdtree-demo.html",
    help="Where the page goes. [default: dpdtree-demo.html]",
)
def demo(output: str) -> None:
    """Compare CART with trees that look ahead, and write a page to explore one."""
    from dpdtree.demo import main

    main(output)
