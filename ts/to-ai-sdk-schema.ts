// Asks the AI SDK for the JSON Schema of a schema that only it can convert (zod 3). It stands apart
// because it loads `ai`, an optional peer, and only when such a tool is there.

/** The part of `ai` that is used. */
interface AiSdk {
  asSchema(schema: unknown): { readonly jsonSchema: unknown }
}

/** The JSON Schema, or nothing where the AI SDK is not installed or cannot convert it either. */
export async function jsonSchemaThroughSdk(inputSchema: unknown): Promise<object | undefined> {
  try {
    const ai: AiSdk = await import('ai')
    const jsonSchema = await ai.asSchema(inputSchema).jsonSchema
    return typeof jsonSchema === 'object' && jsonSchema !== null ? jsonSchema : undefined
  } catch {
    // Nothing is lost but the check of `when` conditions against this schema: the tool parses its
    // input itself, and the AI SDK reports a schema that it cannot send to a model.
    return undefined
  }
}
