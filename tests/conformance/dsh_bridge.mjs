// Starts a server through dsh's own client bridge, as a profile row does, and makes the calls it is told to.
// Argument: {"row": the row's config, "calls": [{"name", "arguments", "abortAfterMs"?}]}. Prints one JSON object.
import { Context } from '@deepseek-ai/cordis'
import * as mcpClient from '@deepseek-ai/dsh-mcp-client'
import SystemPrompt from '@deepseek-ai/dsh-system-prompt'
import ToolRuntime from '@deepseek-ai/dsh-tools'

const { row, calls } = JSON.parse(process.argv[2])
const ctx = new Context()
await ctx.plugin(SystemPrompt, {})
await ctx.plugin(ToolRuntime, { mode: 'native' })
await ctx.plugin(mcpClient, mcpClient.Config({ failOnStartupError: true, ...row }))

const answers = []
for (const [number, call] of calls.entries()) {
  const abort = new AbortController()
  const timer = call.abortAfterMs === undefined ? undefined : setTimeout(() => abort.abort(), call.abortAfterMs)
  const started = performance.now()
  const result = await ctx.tools.execute({
    callId: `call_${number}`,
    name: `mcp__${row.serverName}__${call.name}`,
    arguments: call.arguments,
    signal: abort.signal,
  })
  clearTimeout(timer)
  answers.push({
    name: call.name,
    isError: result.isError,
    text: result.content.map((block) => block.text ?? '').join('\n'),
    error: result.isError ? result.error.message : '',
    code: result.isError ? (result.error.info?.code ?? '') : '',
    value: result.isError ? null : result.value,
    ms: performance.now() - started,
  })
}
const answer = JSON.stringify({ schemas: ctx.tools.schemas(), answers }) + '\n'
process.stdout.write(answer, () => process.exit(0))
