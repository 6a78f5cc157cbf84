import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Implementation,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { z } from 'zod'

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/**
 * The SDK's server with plain errors. The SDK reports invalid parameters as its validator prints
 * them, for most methods with the code of an internal error, and sends the text of any other error.
 * Here, invalid parameters become a sentence with the code -32602, and other errors are only
 * logged.
 */
export class PlainErrorServer extends Server {
  readonly #log: Logger

  constructor(info: Implementation, options: ServerOptions, log: Logger) {
    super(info, options)
    this.#log = log
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const inner = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await inner(request, context)
      } catch (error) {
        throw this.#plain(method, error)
      }
    }
  }

  #plain(method: string, error: unknown): ProtocolError {
    const isOurs = error instanceof Error && error.message.startsWith('Invalid tools/call result')
    const problems = error instanceof Error && !isOurs ? problemsIn(error.message) : null
    if (problems !== null)
      return new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Invalid params of ${method}: ${problems}`,
      )
    if (error instanceof ProtocolError && !isOurs) return error
    this.#log.error({ err: error, method }, 'an MCP request failed')
    return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error')
  }
}

const issueList = z.array(
  z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }),
)

/** The validator's output, a JSON array of issues, as one line; null for any other text. */
function problemsIn(text: string): string | null {
  const printed = /\[\s*\{[\s\S]*\}\s*\]$/.exec(text)
  if (printed === null) return null
  try {
    const { data: issues } = issueList.safeParse(JSON.parse(printed[0]))
    return issues?.slice(0, 5).map(wordIssue).join('; ') ?? null
  } catch (error) {
    // One of our own messages that ends like a list.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function wordIssue({ path, message }: z.output<typeof issueList>[number]): string {
  return `${path.join('.')}: ${message.replace(/^Invalid input: /, '')}`
}
