import type { z } from 'zod'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { hasMoreParts } from '#kernel/json.ts'
import {
  documentAction,
  documentHead,
  documentLists,
  documentProduct,
  documentServer,
  documentSource,
  documentVariable,
  type AgentDocument,
} from './agent-document.ts'

interface ParsedDocument {
  /** Null if there are issues. */
  readonly document: AgentDocument | null
  readonly issues: readonly string[]
}

/** Values and keys of one item, which a schema checks at once. */
const maxParts = 10_000

/** Checks a document item by item, in slices of time: it may be as long as `MAX_IMPORT_BYTES`. */
export async function parseDocument(
  given: Readonly<Record<string, unknown>>,
): Promise<ParsedDocument> {
  const { actions, variables, mcp_servers, products, knowledge, ...rest } = given
  const reader = new ItemReader()
  const head = reader.read([], documentHead, rest)
  const lists = reader.check(
    [],
    documentLists.safeParse({ actions, variables, mcp_servers, products, knowledge }),
  )
  const { issues } = reader
  if (lists === undefined) return { document: null, issues }
  const document = {
    actions: await reader.readAll('actions', documentAction, lists.actions, byName),
    variables: await reader.readAll('variables', documentVariable, lists.variables, byName),
    mcp_servers: await reader.readAll('mcp_servers', documentServer, lists.mcp_servers, byName),
    products: await reader.readAll('products', documentProduct, lists.products, ({ sku }) => sku),
    knowledge:
      lists.knowledge === null
        ? null
        : await reader.readAll('knowledge', documentSource, lists.knowledge, () => null),
  }
  const isGood = head !== undefined && issues.length === 0
  return { document: isGood ? { ...head, ...document } : null, issues }
}

type Path = readonly PropertyKey[]

function byName({ name }: { readonly name: string }): string {
  return name
}

class ItemReader {
  readonly issues: string[] = []
  readonly #slice = new CpuSlice()

  /** Refuses two items with the same name. */
  async readAll<Item>(
    list: string,
    schema: z.ZodType<Item>,
    values: readonly unknown[],
    nameOf: (item: Item) => string | null,
  ): Promise<Item[]> {
    const items: Item[] = []
    const seen = new Set<string>()
    for (const [index, value] of values.entries()) {
      if (this.#slice.isOver) await this.#slice.next()
      const item = this.read([list, index], schema, value)
      if (item === undefined) continue
      items.push(item)
      const name = nameOf(item)
      if (name !== null && seen.has(name)) this.#add([list, index], `${name} occurs twice`)
      if (name !== null) seen.add(name)
    }
    return items
  }

  read<Item>(path: Path, schema: z.ZodType<Item>, value: unknown): Item | undefined {
    if (!hasMoreParts(value, maxParts)) return this.check(path, schema.safeParse(value))
    this.#add(path, `has more than ${maxParts} values`)
    return undefined
  }

  check<Item>(path: Path, parsed: z.ZodSafeParseResult<Item>): Item | undefined {
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) this.#add([...path, ...issue.path], issue.message)
    return undefined
  }

  #add(path: Path, message: string): void {
    this.issues.push(path.length === 0 ? message : `${path.join('.')}: ${message}`)
  }
}
