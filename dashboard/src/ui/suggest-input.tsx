import { Autocomplete } from '@base-ui/react/autocomplete'
import { ChevronsUpDown } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { controlStyle } from './field.tsx'

export interface Suggestion {
  readonly value: string
  /** Beside the value: what tells it from its neighbours. */
  readonly aside?: ReactNode
}

export interface SuggestionGroup {
  readonly label: string
  readonly items: readonly Suggestion[]
}

export interface SuggestInputProps {
  readonly value: string
  onChange(value: string): void
  readonly groups: readonly SuggestionGroup[]
  /** Of the button that shows all. */
  readonly openLabel: string
  readonly required?: boolean
  readonly maxLength?: number
}

/** A line of text with suggestions by group; what is in none of them can be typed as well. */
export function SuggestInput(props: SuggestInputProps) {
  const { value, onChange, groups, openLabel, ...input } = props
  // Until something is typed all are shown: the value is the present choice, not a search.
  const [isSearch, setIsSearch] = useState(false)
  const shown = isSearch ? matching(groups, value) : groups
  return (
    <Autocomplete.Root
      items={shown}
      mode="none"
      openOnInputClick
      value={value}
      itemToStringValue={(item: Suggestion) => item.value}
      onValueChange={(next, { reason }) => {
        setIsSearch(reason === 'input-change')
        onChange(next)
      }}
      onOpenChange={(isOpen) => {
        if (!isOpen) setIsSearch(false)
      }}
    >
      <Autocomplete.InputGroup className="relative">
        <Autocomplete.Input
          {...input}
          spellCheck={false}
          className={classNames(controlStyle, 'h-9 pr-10')}
        />
        <Autocomplete.Trigger
          aria-label={openLabel}
          className="absolute inset-y-0 right-0 flex w-9 items-center justify-center text-soft hover:text-ink"
        >
          <ChevronsUpDown className="size-4" aria-hidden />
        </Autocomplete.Trigger>
      </Autocomplete.InputGroup>
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-50 data-empty:hidden">
          <Autocomplete.Popup className="max-h-[min(22rem,var(--available-height))] w-(--anchor-width) max-w-[calc(100vw-2rem)] overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-raised outline-none data-empty:hidden">
            <Autocomplete.List>
              {(group: SuggestionGroup) => (
                <Autocomplete.Group key={group.label} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">
                    {group.label}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Suggestion) => (
                      <Autocomplete.Item
                        key={item.value}
                        value={item}
                        className="flex cursor-default flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover"
                      >
                        <span className="min-w-0 break-all">{item.value}</span>
                        {item.aside !== undefined && (
                          <span className="ml-auto flex flex-wrap gap-1">{item.aside}</span>
                        )}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}

function matching(groups: readonly SuggestionGroup[], search: string): SuggestionGroup[] {
  const wanted = search.trim().toLowerCase()
  return groups
    .map(({ label, items }) => ({
      label,
      items: items.filter(({ value }) => value.toLowerCase().includes(wanted)),
    }))
    .filter(({ items }) => items.length > 0)
}
