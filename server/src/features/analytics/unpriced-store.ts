import { sql, type RawBuilder } from 'kysely'
import type { Engine } from '#platform/db/database.ts'

/**
 * Whether the model of a row had no price when it answered: neither its own nor its provider's nor that of
 * all models, which does not cover Ollama, the self-hosted provider (see `priceOf`). The model that needs
 * no key costs nothing.
 */
export function isUnpriced(engine: Engine, row: 'message' | 'entry'): RawBuilder<boolean> {
  const [model, at] = [sql.ref(`${row}.model`), sql.ref(`${row}.created_at`)]
  const provider =
    engine === 'postgres'
      ? sql`split_part(${model}, '/', 1)`
      : sql`substr(${model}, 1, instr(${model}, '/') - 1)`
  return sql`(${model} is not null
    and ${provider} <> 'local' and not exists (
      select 1 from credit_prices as price
      where (
          lower(price.pattern) in (lower(${model}), lower(${provider} || '/*'))
          or price.pattern = '*' and ${provider} <> 'ollama'
        )
        and price.valid_from <= ${at}
        and price.prompt_micros_per_million is not null
        and not exists (
          select 1 from credit_prices as newer
          where lower(newer.pattern) = lower(price.pattern)
            and newer.valid_from <= ${at}
            and (newer.valid_from, newer.id) > (price.valid_from, price.id)
        )
    ))`
}
