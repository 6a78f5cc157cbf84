import { ArrowDown, ArrowUp, Plus, X } from '#ui/icons.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { maxSuggestions } from './agent-draft.ts'
import type { AgentForm } from './use-agent-form.ts'

/** The suggested questions, in order. */
export function SuggestionsField({ form }: { readonly form: AgentForm }) {
  const { suggestions } = form.value
  const set = (next: readonly string[]) => form.change({ suggestions: next })
  const problem = form.problem?.issues.find((issue) => issue.startsWith('suggestions'))
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">{t('build.form.suggestions')}</legend>
      <p className="mt-0.5 mb-2 text-[0.8125rem] text-soft">
        {t('build.form.suggestionsHint', { most: maxSuggestions })}
      </p>
      <ol className="flex flex-col gap-2">
        {suggestions.map((text, index) => (
          // Rows have no identity other than their position.
          <li key={index} className="flex items-center gap-1">
            <Field
              className="flex-1"
              label={
                <span className="sr-only">{t('build.form.suggestion', { number: index + 1 })}</span>
              }
            >
              <Input
                maxLength={200}
                value={text}
                placeholder={t('build.form.suggestionPlaceholder')}
                onChange={(event) => set(suggestions.with(index, event.currentTarget.value))}
              />
            </Field>
            <RowButtons
              number={index + 1}
              isFirst={index === 0}
              isLast={index === suggestions.length - 1}
              onUp={() => set(swapped(suggestions, index, index - 1))}
              onDown={() => set(swapped(suggestions, index, index + 1))}
              onRemove={() => set(suggestions.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ol>
      {problem !== undefined && (
        <p role="alert" className="mt-2 text-[0.8125rem] text-bad">
          {problem}
        </p>
      )}
      {suggestions.length < maxSuggestions && (
        <Button
          size="small"
          look="quiet"
          className="mt-2 -ml-3"
          onClick={() => set([...suggestions, ''])}
        >
          <Plus aria-hidden />
          {t('build.form.addSuggestion')}
        </Button>
      )}
    </fieldset>
  )
}

function swapped(list: readonly string[], from: number, to: number): readonly string[] {
  return list.with(from, list[to] ?? '').with(to, list[from] ?? '')
}

interface RowButtonsProps {
  readonly number: number
  readonly isFirst: boolean
  readonly isLast: boolean
  onUp(): void
  onDown(): void
  onRemove(): void
}

function RowButtons({ number, isFirst, isLast, onUp, onDown, onRemove }: RowButtonsProps) {
  return (
    <div className="flex shrink-0">
      <Button
        look="quiet"
        size="icon"
        disabled={isFirst}
        onClick={onUp}
        aria-label={t('build.form.moveUp', { number })}
      >
        <ArrowUp aria-hidden />
      </Button>
      <Button
        look="quiet"
        size="icon"
        disabled={isLast}
        onClick={onDown}
        aria-label={t('build.form.moveDown', { number })}
      >
        <ArrowDown aria-hidden />
      </Button>
      <Button
        look="quiet"
        size="icon"
        onClick={onRemove}
        aria-label={t('build.form.removeSuggestion', { number })}
      >
        <X aria-hidden />
      </Button>
    </div>
  )
}
