import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { cliActor } from '#features/identity/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { CommandFailure, textOption, UsageError, type Command, type Terminal } from './command.ts'
import { explainRefusal } from './explain-failure.ts'
import { withInstance } from './with-instance.ts'

export const products: Command = {
  usage: 'products import FILE --app APP [--rejected FILE] [--as EMAIL]',
  help: `
Creates and changes products of an agent from a CSV file, all lines or none. The first line
names the fields: product_id or sku finds the product to change, others are name, description,
price (such as 19.90 EUR) or price_amount (in the smallest unit of the currency), currency, stock,
fulfillment_type, tax_code, active, and images and categories, whose parts are separated by |. An empty cell leaves a field as
it is. At most 5000 lines at a time. The service may be running or stopped.

  FILE             The CSV file; - reads standard input
  --app APP        The agent: its id or app_name_id
  --rejected FILE  Import the valid lines, and write the others with their problems to this file
  --as EMAIL       Act as that user. Default: the owner

Prints {"created","updated","rejected"}. If lines are invalid, it reports them and changes nothing,
unless --rejected names a file.

  parley products import teas.csv --app tea-shop-10001`,
  options: { app: { type: 'string' }, rejected: { type: 'string' }, as: { type: 'string' } },
  maxPositionals: 2,
  async run(terminal, { positionals: [verb, file], options }) {
    if (verb !== 'import' || file === undefined || typeof options.app !== 'string')
      throw new UsageError(`usage is \`parley ${products.usage}\``)
    const rejectedFile = textOption(options, 'rejected')
    const csv = await readCsv(terminal, file)
    const input = { app_id: options.app, csv, partial: rejectedFile !== undefined }
    const email = textOption(options, 'as')
    const operation = findOperation('import_products')
    if (operation === undefined) throw new Error('there is no operation import_products')
    const summary = await withInstance(terminal, async ({ ctx }) =>
      runOperation(ctx, await cliActor(ctx, email), operation, input).catch(explainRefusal),
    )
    const { rejected_csv: rejectedCsv, ...counts } = imported.parse(summary)
    if (rejectedFile !== undefined && rejectedCsv !== null)
      await writeFile(rejectedFile, rejectedCsv)
    terminal.stdout.write(`${JSON.stringify(counts)}\n`)
    return 0
  },
}

const imported = z.looseObject({ rejected_csv: z.string().nullable() })

/** Removes the byte order mark that spreadsheets write. */
async function readCsv({ stdin }: Terminal, file: string): Promise<string> {
  const csv = file === '-' ? await text(stdin) : await readFile(file, 'utf8').catch(unreadable)
  return csv.replace(/^\uFEFF/, '')

  function unreadable(error: unknown): never {
    throw new CommandFailure([`${file} cannot be read`], { cause: error })
  }
}
