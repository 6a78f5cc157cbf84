import type { Attributes } from '#kernel/spans.ts'
import type { Database } from '#platform/db/database.ts'
import type { ModelFinish, ModelRequest, Models } from '#platform/models/model.ts'
import type { OtlpTracer } from './otlp-tracer.ts'

/** Model calls with the attributes of OpenTelemetry's semantic conventions for generative AI. */
export function tracedModels(models: Models, tracer: OtlpTracer, hasContent: boolean): Models {
  const about = ({ access, model, temperature, maxOutputTokens, messages }: ModelRequest) => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': access.provider,
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': temperature ?? undefined,
    'gen_ai.request.max_tokens': maxOutputTokens ?? undefined,
    ...(hasContent && { 'gen_ai.input.messages': JSON.stringify(messages) }),
  })
  return {
    ...models,
    complete: (request) =>
      tracer.measured(
        `chat ${request.model}`,
        about(request),
        () => models.complete(request),
        (answer) => ({
          ...finishOf(answer),
          ...output(hasContent, answer.text + (answer.refusal ?? '')),
        }),
      ),
    stream(request, listener) {
      let said = ''
      const listen = hasContent
        ? (texts: readonly string[], isRefusal?: boolean) => {
            said += texts.join('')
            return listener(texts, isRefusal)
          }
        : listener
      return tracer.measured(
        `chat ${request.model}`,
        about(request),
        () => models.stream(request, listen),
        (finish) => ({ ...finishOf(finish), ...output(hasContent, said) }),
      )
    },
    embed: (request) =>
      tracer.measured(
        `embeddings ${request.model}`,
        {
          'gen_ai.operation.name': 'embeddings',
          'gen_ai.provider.name': request.access.provider,
          'gen_ai.request.model': request.model,
        },
        () => models.embed(request),
        ({ promptTokens }) => ({ 'gen_ai.usage.input_tokens': promptTokens ?? undefined }),
      ),
  }
}

function finishOf({ finishReason, usage }: ModelFinish): Attributes {
  return {
    'gen_ai.response.finish_reasons': finishReason,
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
  }
}

function output(hasContent: boolean, text: string): Attributes {
  return hasContent
    ? { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', text }]) }
    : {}
}

/** Units and the statements of the hot path, by the names that the code gives them. */
export function tracedDatabase(db: Database, tracer: OtlpTracer): Database {
  const about = { 'db.system.name': db.engine === 'sqlite' ? 'sqlite' : 'postgresql' }
  const span = <T>(name: string, code: () => Promise<T>) => tracer.span(name, about, code)
  return {
    ...db,
    write: (unit, options) => span('store unit', () => db.write(unit, options)),
    writeAll: (steps, options) => span('store unit', () => db.writeAll(steps, options)),
    prepared(statement) {
      const own = db.prepared(statement)
      const name = `store ${statement.name}`
      return {
        ...own,
        read: (given) => span(name, () => own.read(given)),
        readShared: (given) => span(name, () => own.readShared(given)),
        write: (given) => span(name, () => own.write(given)),
        writeByKey: (given) => span(name, () => own.writeByKey(given)),
      }
    },
  }
}
