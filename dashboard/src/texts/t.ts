import { en } from './en.ts'
import { locale } from './locale.ts'

/** A text, or its plural forms (CLDR categories). `{name}` is replaced by a value. */
type Leaf = string | { readonly one?: string; readonly other: string }
type Catalogue = typeof en

type PathsOf<Node> = {
  [Key in keyof Node & string]: Node[Key] extends Leaf ? Key : `${Key}.${PathsOf<Node[Key]>}`
}[keyof Node & string]

/** The path of a text: `agents.create.title`. */
export type TextPath = PathsOf<Catalogue>

type At<Node, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? Key extends keyof Node
    ? At<Node[Key], Rest>
    : never
  : Path extends keyof Node
    ? Node[Path]
    : never

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type Values<Found> = Found extends string
  ? NamesIn<Found>
  : Found extends { readonly other: infer Other }
    ? NamesIn<Other>
    : never

type Arguments<Path extends TextPath> = [Values<At<Catalogue, Path>>] extends [never]
  ? []
  : [values: Readonly<Record<Values<At<Catalogue, Path>>, string | number>>]

/**
 * A text of the catalogue with its values inserted. A text with plural forms takes the number as
 * `count`.
 *
 * @example t('agents.count', { count: 3 })
 */
export function t<Path extends TextPath>(path: Path, ...given: Arguments<Path>): string {
  const values: Readonly<Record<string, string | number>> = given[0] ?? {}
  return fill(formOf(find(path), values), values)
}

const plurals = new Intl.PluralRules(locale())

function find(path: string): Leaf {
  let node: unknown = en
  for (const key of path.split('.'))
    node = Object.entries(node ?? {}).find(([name]) => name === key)?.[1]
  // The type of the path guarantees that it leads to a text.
  return node as Leaf
}

function formOf(leaf: Leaf, values: Readonly<Record<string, string | number>>): string {
  if (typeof leaf === 'string') return leaf
  const form = plurals.select(Number(values.count))
  return (form === 'one' ? leaf.one : undefined) ?? leaf.other
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    if (value === undefined) return whole
    return typeof value === 'number' ? value.toLocaleString(locale()) : value
  })
}
