import { Link, useParams } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { basePath } from '#api/base-path.ts'
import { isComposing } from '#chat/is-composing.ts'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import type { PaletteItem } from './palette-items.ts'
import { usePaletteItems } from './use-palette-items.ts'

export interface CommandPaletteProps {
  onClose(): void
}

/** Finds agents, pages, conversations, settings and help (the combobox pattern of WAI-ARIA). */
export function CommandPalette({ onClose }: CommandPaletteProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('palette.title')}
      closeLabel={t('common.close')}
    >
      <Finder onClose={onClose} />
    </Dialog>
  )
}

function Finder({ onClose }: CommandPaletteProps) {
  const id = useId()
  const { appId } = useParams({ strict: false })
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const items = usePaletteItems(typed.trim(), appId)
  const active = Math.min(chosen, items.length - 1)
  function onKey(event: KeyboardEvent): void {
    if (isComposing(event.nativeEvent)) return
    const step = event.key === 'ArrowDown' ? 1 : -1
    if (event.key === 'Enter') document.getElementById(`${id}-${active}`)?.click()
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      setChosen((active + step + items.length) % Math.max(items.length, 1))
    else return
    event.preventDefault()
  }
  return (
    <>
      <Field label={<span className="sr-only">{t('palette.label')}</span>}>
        <Input
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(items.length === 0 ? {} : { 'aria-activedescendant': `${id}-${active}` })}
          placeholder={t('palette.placeholder')}
          maxLength={200}
          value={typed}
          onKeyDown={onKey}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setChosen(0)
          }}
        />
      </Field>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={t('palette.results')}
        className="mt-3 flex min-h-64 flex-col gap-0.5"
      >
        {items.map((item, index) => (
          <Result
            key={item.key}
            item={item}
            id={`${id}-${index}`}
            isActive={index === active}
            startsGroup={items[index - 1]?.group !== item.group}
            onChoose={onClose}
          />
        ))}
      </div>
      <p role="status" className="text-sm text-soft empty:hidden">
        {items.length === 0 ? t('palette.none') : null}
      </p>
    </>
  )
}

interface ResultProps {
  readonly item: PaletteItem
  readonly id: string
  readonly isActive: boolean
  readonly startsGroup: boolean
  onChoose(): void
}

function Result({ item, id, isActive, startsGroup, onChoose }: ResultProps) {
  return (
    <>
      {startsGroup && (
        <p role="presentation" className="px-3 pt-2 pb-0.5 text-xs font-medium text-soft">
          {t(`palette.groups.${item.group}`)}
        </p>
      )}
      <Way
        item={item}
        id={id}
        isActive={isActive}
        onChoose={onChoose}
        className={classNames(
          'flex items-baseline gap-3 rounded-lg px-3 py-2 text-sm',
          isActive ? 'bg-accent-ground text-accent' : 'hover:bg-hover',
        )}
      >
        <span className="min-w-0 flex-1 truncate">{item.label}</span>
        {item.aside !== undefined && (
          <span className="max-w-[40%] shrink-0 truncate text-xs text-soft">{item.aside}</span>
        )}
      </Way>
    </>
  )
}

interface WayProps extends Omit<ResultProps, 'startsGroup'> {
  readonly className: string
  readonly children: ReactNode
}

const newTab = { target: '_blank', rel: 'noreferrer' } as const

/** A link, so that it also opens in a new tab; the field keeps the focus. */
function Way({ item, id, isActive, onChoose, className, children }: WayProps) {
  const props = {
    id,
    role: 'option',
    tabIndex: -1,
    'aria-selected': isActive,
    ref: (element: HTMLAnchorElement | null) => {
      if (isActive) element?.scrollIntoView({ block: 'nearest' })
    },
    onClick: onChoose,
    className,
  } as const
  if (item.href === undefined)
    return (
      <Link {...item.link} {...props}>
        {children}
      </Link>
    )
  return (
    <a href={`${basePath}${item.href}`} {...(item.opensTab ? newTab : {})} {...props}>
      {children}
    </a>
  )
}
