/** The service's base path, as its page states it: empty, or with a leading slash. */
export const basePath = document.documentElement.dataset.base ?? ''
