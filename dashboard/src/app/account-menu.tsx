import { CircleUser, LogOut, UserRound } from '#ui/icons.ts'
import { useRef } from 'react'
import { basePath } from '#api/base-path.ts'
import type { Me } from '#api/me.ts'
import { forgetDrafts } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Menu, MenuChoice, MenuItem, MenuLine } from '#ui/menu.tsx'
import { setTheme, useTheme } from './theme.ts'

export function AccountMenu({ me }: { readonly me: Me }) {
  const theme = useTheme()
  const signOut = useRef<HTMLFormElement>(null)
  return (
    <>
      <form ref={signOut} method="post" action={`${basePath}/sign-out`} hidden>
        <input type="hidden" name="form_token" value={me.form_token} />
      </form>
      <Menu
        align="start"
        side="top"
        trigger={
          <button
            type="button"
            className="flex w-full items-center gap-2.5 rounded-xl px-3 py-2 text-left hover:bg-hover"
          >
            <CircleUser className="size-7 shrink-0 text-soft" strokeWidth={1.5} aria-hidden />
            <span className="min-w-0 flex-1 leading-tight">
              <span className="sr-only">{t('shell.account')}</span>
              <span className="block truncate text-sm font-medium">{me.user.name}</span>
              <span className="block truncate text-xs text-soft">{me.user.email}</span>
            </span>
          </button>
        }
      >
        <MenuChoice
          label={t('shell.theme')}
          value={theme}
          choices={[
            { value: 'light', label: t('shell.themeLight') },
            { value: 'dark', label: t('shell.themeDark') },
            { value: 'system', label: t('shell.themeSystem') },
          ]}
          onChange={setTheme}
        />
        <MenuLine />
        <MenuItem render={<a href={`${basePath}/account`} />}>
          <UserRound aria-hidden />
          {t('shell.yourAccount')}
        </MenuItem>
        <MenuItem
          onSelect={() => {
            forgetDrafts()
            signOut.current?.requestSubmit()
          }}
        >
          <LogOut aria-hidden />
          {t('shell.signOut')}
        </MenuItem>
        <MenuLine />
        <p className="px-2.5 py-1.5 text-xs text-soft">
          {t('shell.version', { version: me.version })}
        </p>
      </Menu>
    </>
  )
}
