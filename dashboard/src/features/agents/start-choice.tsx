import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { BookOpen, LifeBuoy, Pencil, ShoppingBag, UsersRound } from '#ui/icons.ts'
import { startNames, starts, type StartName } from './starts.ts'

const icons = {
  supportDesk: LifeBuoy,
  shop: ShoppingBag,
  documentation: BookOpen,
  internalHelp: UsersRound,
  blank: Pencil,
} as const

export interface StartChoiceProps {
  readonly value: StartName
  onChange(start: StartName): void
}

/** The starts as cards: radio buttons of the browser, which arrow keys move through. */
export function StartChoice({ value, onChange }: StartChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">{t('agents.start')}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {startNames.map((name) => {
          const Icon = icons[name]
          return (
            <label
              key={name}
              className={classNames(
                'flex cursor-pointer gap-3 rounded-xl border p-4 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
                name === value
                  ? 'border-accent bg-accent-ground'
                  : 'border-line bg-card hover:border-field-line',
              )}
            >
              <input
                type="radio"
                name="start"
                value={name}
                checked={name === value}
                onChange={() => onChange(name)}
                className="sr-only"
              />
              <Icon
                className={classNames(
                  'mt-0.5 size-5 shrink-0',
                  name === value ? 'text-accent' : 'text-soft',
                )}
                aria-hidden
              />
              <span className="min-w-0">
                <span className="block font-medium">{t(`agents.starts.${name}.title`)}</span>
                <span className="block text-[0.8125rem] text-soft">
                  {t(`agents.starts.${name}.hint`)}
                </span>
              </span>
            </label>
          )
        })}
      </div>
      {value !== 'blank' && <Samples questions={starts[value].sample_questions} />}
    </fieldset>
  )
}

function Samples({ questions }: { readonly questions: readonly string[] }) {
  return (
    <div className="mt-3 text-[0.8125rem] text-soft">
      <p>{t('agents.startSamples')}</p>
      <ul className="mt-1 flex flex-wrap gap-1.5">
        {questions.map((question) => (
          <li key={question} className="rounded-full bg-quiet px-2.5 py-1">
            {question}
          </li>
        ))}
      </ul>
    </div>
  )
}
