import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { t } from '#texts/t.ts'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'

/** No notification can appear before the first page, so this need not delay it. */
const Toasts = lazy(async () => ({ default: (await import('#ui/toast.tsx')).Toasts }))

export function App() {
  return (
    // The CSP allows styles from files only: theme.css holds what the library would insert.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Suspense>
          <Toasts label={t('shell.notifications')} closeLabel={t('common.close')} />
        </Suspense>
      </QueryClientProvider>
    </CSPProvider>
  )
}
