import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: 'ts/index.ts',
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  tsconfig: 'ts/tsconfig.json',
  // `#native` stays an import: it is resolved inside the installed package.
  deps: { neverBundle: [/^#native$/, /^ai($|\/)/] },
  dts: { oxc: true },
  sourcemap: false,
  report: false,
  logLevel: 'warn',
})
