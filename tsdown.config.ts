import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: 'ts/index.ts',
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  // `#native` stays an import: it is resolved inside the installed package.
  deps: { neverBundle: [/^#native$/, /^ai($|\/)/] },
  // Rolled up file by file, so an export without its type is an error of the build.
  dts: { oxc: true },
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  sourcemap: false,
  report: false,
  logLevel: 'warn',
})
