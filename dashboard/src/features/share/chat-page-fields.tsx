import { useState } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import { formatDayStart } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { FileButton } from '#ui/file-button.tsx'
import { FileUp } from '#ui/icons.ts'
import { Select } from '#ui/select.tsx'
import { Switch } from '#ui/switch.tsx'
import { logoOfFile } from './logo-of-file.ts'

export type ChatPage = OutputOf<'get_chat_page'>

/** What the forms of *Share* change. */
export function settingsOf(page: ChatPage) {
  const { enabled, access, slug, domain, title, disclaimer, imprint_url, privacy_url, logo } = page
  const { color, theme, indexable, daily_messages, message_characters, visitor_files } = page
  const { blocked_words, moderation_url, moderation_fails, moderate_answers } = page
  const { greeting, header_color, background_color, font, corner_radius } = page
  const { widget_icon, widget_side, identity_jwks_url } = page
  const texts = { title, disclaimer, imprint_url, privacy_url, logo, greeting }
  const shapes = { font, corner_radius, widget_icon, widget_side }
  const looks = { ...texts, color, theme, header_color, background_color, ...shapes }
  const moderation = { blocked_words, moderation_url, moderation_fails, moderate_answers }
  const limits = { daily_messages, message_characters, visitor_files, ...moderation }
  const { widget_origins, open_after_seconds, open_at_scroll, open_on_paths } = page
  const widget = { widget_origins, open_after_seconds, open_at_scroll, open_on_paths }
  const addresses = { slug, domain, identity_jwks_url }
  return { enabled, access, ...addresses, ...looks, indexable, ...limits, ...widget }
}

type Settings = ReturnType<typeof settingsOf>

export interface FieldsProps {
  readonly value: Settings
  change(part: Partial<Settings>): void
}

const themes = ['system', 'light', 'dark'] as const

/** How the page looks and what it says besides the chat. */
export function ChatPageLooks({ value, change }: FieldsProps) {
  return (
    <fieldset className="grid gap-5 sm:grid-cols-2">
      <legend className="mb-4 text-sm font-semibold">{t('chatPage.looks')}</legend>
      <Field label={t('chatPage.name')} hint={t('chatPage.nameHint')}>
        <Input
          maxLength={100}
          value={value.title}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('chatPage.color')} hint={t('chatPage.colorHint')}>
        <Input
          type="color"
          className="max-w-24"
          value={value.color}
          onChange={(event) => change({ color: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('chatPage.theme')}>
        <Select
          choices={themes.map((one) => ({ value: one, label: t(`chatPage.themes.${one}`) }))}
          value={value.theme}
          onChange={(theme) => change({ theme })}
        />
      </Field>
      <Logo value={value} change={change} />
      <Field label={t('chatPage.disclaimer')} className="sm:col-span-2">
        <Input
          maxLength={500}
          value={value.disclaimer}
          onChange={(event) => change({ disclaimer: event.currentTarget.value })}
        />
      </Field>
    </fieldset>
  )
}

/** What the law of some countries asks for. */
export function PageLinks({ value, change }: FieldsProps) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      {(['privacy', 'imprint'] as const).map((name) => (
        <Field key={name} label={t(`chatPage.${name}`)}>
          <Input
            type="url"
            value={value[`${name}_url`]}
            onChange={(event) => change({ [`${name}_url`]: event.currentTarget.value })}
          />
        </Field>
      ))}
    </div>
  )
}

/** The image becomes part of the settings, so that the page loads nothing from elsewhere. */
function Logo({ value, change }: FieldsProps) {
  const [isRefused, setRefused] = useState(false)
  const read = async (file: File) => {
    // A file that was deleted meanwhile cannot be read either.
    const logo = await logoOfFile(file).catch(() => null)
    setRefused(logo === null)
    if (logo !== null) change({ logo })
  }
  return (
    <Field
      label={t('chatPage.logo')}
      hint={t('chatPage.logoHint')}
      error={isRefused ? t('chatPage.logoRefused') : undefined}
    >
      <div className="flex items-center gap-3">
        {value.logo !== '' && (
          <img src={value.logo} alt="" className="size-9 rounded-lg object-contain" />
        )}
        <FileButton
          label={t('chatPage.logo')}
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onFiles={([file]) => file !== undefined && void read(file)}
        >
          <FileUp aria-hidden />
          {t('chatPage.chooseLogo')}
        </FileButton>
        {value.logo !== '' && (
          <Button onClick={() => change({ logo: '' })}>{t('chatPage.removeLogo')}</Button>
        )}
      </div>
    </Field>
  )
}

/** What visitors can use, and who finds the page. */
export function ChatPageLimits({ value, change }: FieldsProps) {
  const number = (text: string) => Math.max(1, Number.parseInt(text, 10) || 1)
  return (
    <fieldset className="grid gap-5 sm:grid-cols-2">
      <legend className="mb-4 text-sm font-semibold">{t('chatPage.limits')}</legend>
      <Field label={t('chatPage.daily')} hint={t('chatPage.dailyHint', { time: formatDayStart() })}>
        <Input
          type="number"
          min={1}
          max={1_000_000}
          value={value.daily_messages}
          onChange={(event) => change({ daily_messages: number(event.currentTarget.value) })}
        />
      </Field>
      <Field label={t('chatPage.characters')}>
        <Input
          type="number"
          min={1}
          max={32_000}
          value={value.message_characters}
          onChange={(event) => change({ message_characters: number(event.currentTarget.value) })}
        />
      </Field>
      <Switch
        label={t('chatPage.files')}
        hint={t('chatPage.filesHint')}
        checked={value.visitor_files}
        onChange={(visitor_files) => change({ visitor_files })}
      />
    </fieldset>
  )
}
