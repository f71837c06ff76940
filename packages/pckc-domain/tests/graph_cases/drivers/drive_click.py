"""Uses click: commands, groups, options, prompts and errors."""

# a run of everything, for its calls

import click
from click.testing import CliRunner


@click.group(invoke_without_command=True)
@click.version_option("1.0")
@click.option("--debug/--no-debug", default=False, envvar="DEBUG")
@click.pass_context
def cli(context, debug):
    context.ensure_object(dict)
    context.obj["debug"] = debug


@cli.command(short_help="Say hello.")
@click.argument("names", nargs=-1, type=click.STRING)
@click.option("--count", "-c", default=1, show_default=True, type=click.IntRange(0, 9), help="How often.")
@click.option("--shape", type=click.Choice(["round", "square"]), multiple=True)
@click.option("--size", type=float, prompt="Size")
@click.password_option()
@click.confirmation_option(prompt="Sure?")
@click.pass_obj
def hello(obj, names, count, shape, size, password):
    """Say hello to NAMES."""
    for name in names:
        click.secho(f"hello {name} {obj}", fg="green", bold=True)
    click.echo(click.style("done", underline=True), err=True)
    with click.progressbar(range(3), label="work") as bar:
        for _ in bar:
            pass


@cli.command()
@click.argument("source", type=click.File("r"))
@click.argument("folder", type=click.Path(exists=True, dir_okay=True), default=".")
@click.option("--when", type=click.DateTime())
@click.option("--pair", type=(str, int))
@click.option("--id", type=click.UUID)
def copy(source, folder, when, pair, id):
    click.echo(source.read())
    raise click.UsageError("no")


@cli.result_callback()
def after(result, **_):
    return result


runner = CliRunner()
for arguments, text in (
    ([], None),
    (["--help"], None),
    (["hello", "--help"], None),
    (["--version"], None),
    (["--debug", "hello", "a", "b", "-c", "2", "--shape", "round"], "1.5\npw\npw\ny\n"),
    (["hello", "-c", "x"], None),
    (["hello", "-c", "10", "--size", "1"], None),
    (["helo"], None),
    (["copy", "-", ".", "--when", "2020-01-01", "--pair", "a", "1"], "text"),
    (["copy", "missing-file"], None),
    (["copy", "--id", "1"], None),
):
    runner.invoke(cli, arguments, input=text)
runner.invoke(cli, ["hello"], env={"DEBUG": "1"})
runner.invoke(cli, [], env={"_CLI_COMPLETE": "bash_source"}, prog_name="cli")
with runner.isolated_filesystem():
    click.format_filename("x")
click.unstyle("\x1b[1mx\x1b[0m")
