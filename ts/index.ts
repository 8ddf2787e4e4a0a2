// What the package exports, name by name.

export { createToolgate, type Toolgate } from './create-toolgate.ts'
export { defineTool, type SchemaOf, type ToolDefinition } from './define-tool.ts'
export { memoryStore } from './memory-store.ts'
export { RefusalError, ToolError, ToolgateError, type Code, type Span } from './errors.ts'

export type { Ask, Decision, Question } from './ask.ts'
export type { Declaration, Declarations, ResourcePattern } from './declaration.ts'
export type { Envelope, EnvelopeError, EnvelopeMeta } from './envelope.ts'
export type { CallEvent, EventName, Listeners, On, ToolgateEvents } from './events.ts'
export type { Writer } from './gate.ts'
export type { Explanation, Hidden, RuleOrigin } from './native.ts'
export type { Config, ToolgateOptions, ToolLike, ToolTable } from './options.ts'
export type { CallOptions, Table } from './table.ts'
export type { ToolContext, ToolMetadata, ToolQuestion } from './tool-context.ts'
export type { ApprovalOptions, ApprovalStatus, Settings, ToolApproval } from './to-ai-sdk-types.ts'
export type { ChildTurn, ModelOption, Turn } from './turn.ts'
export type { Action, Effect, PermissionBlock, Rule } from './words.ts'
