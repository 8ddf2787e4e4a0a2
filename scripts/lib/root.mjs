// Where the repository is, whatever folder a script was started from.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const fromRoot = (path) => fileURLToPath(new URL(path, new URL('../../', import.meta.url)))
