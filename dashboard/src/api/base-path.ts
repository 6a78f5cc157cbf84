/** The path that the service lives under, as its page says: empty, or with a slash before. */
export const basePath = document.documentElement.dataset.base ?? ''
