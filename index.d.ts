// The public surface of toolgate, rolled up from ts/ by `npm run types`.
import { ModelMessage, Tool, UIMessage } from "ai";

/** Every stable code; the meaning of each stands in `docs/errors.md`. Codes are never renamed. */
declare const codes: readonly ["TOOL_NAME_ILLEGAL", "TOOL_NAME_TAKEN", "SCHEMA_INVALID", "CONFIG_SYNTAX", "CONFIG_UNKNOWN_KEY", "CONFIG_INVALID", "CONFIG_DUPLICATE_KEY", "CONFIG_LOOSENS", "RULE_INVALID", "CONDITION_INVALID", "OPTION_INVALID", "ROLE_UNKNOWN", "SESSION_FOREIGN", "SESSION_REQUIRED", "TOOL_UNKNOWN", "INPUT_INVALID", "INPUT_NOT_CANONICAL", "INPUT_TOO_LARGE", "PERMISSION_DENIED", "APPROVAL_REJECTED", "APPROVAL_REQUIRED", "APPROVAL_EXPIRED", "UNGUARDED_EFFECT", "CONFLICT", "CALL_IN_PROGRESS", "OUTCOME_UNKNOWN", "TOOL_FAILED", "CALL_ABORTED", "STORE_UNAVAILABLE", "NATIVE_MISSING", "INTERNAL"];
/** A stable code: what went wrong, for programs. */
type Code = (typeof codes)[number];
/** Where in a text something stands. Lines and columns count from 1. */
interface Span {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The source line and a caret under the place. */
  readonly caret: string;
}
/** What the host did wrong: a stable code, what was written, and what to do instead. */
declare class ToolgateError extends Error {
  override readonly name = "ToolgateError";
  readonly code: Code;
  /** What to do. */
  readonly help: string | undefined;
  /** Where it was written, when it was written in a file. */
  readonly span: Span | undefined;
  constructor(fault: {
    code: Code;
    message: string;
    help?: string | undefined;
    span?: Span | undefined;
    cause?: unknown;
  });
  /** Whether `value` is one, also when another copy of the package made it. */
  static isInstance(value: unknown): value is ToolgateError;
}
/**
* A refused call, as the AI SDK sees it: thrown from `execute`, so that the output type of the
* tool stays honest. The message is short and safe to show to the model and to a user.
*/
declare class RefusalError extends Error {
  override readonly name = "Refused";
  /** The same refusal as a value, the way `table.call` returns it. */
  readonly envelope: Extract<Envelope, {
    ok: false;
  }>;
  constructor(envelope: Extract<Envelope, {
    ok: false;
  }>);
  /** Whether `value` is one, also when another copy of the package made it. */
  static isInstance(value: unknown): value is RefusalError;
}
/** An error by which a tool tells what it knows about its own failure. */
declare class ToolError extends Error {
  override readonly name = "ToolError";
  /** `not-applied`: the call had no effect, so it may safely be tried again. */
  readonly outcome = "not-applied";
  private constructor();
  /**
  * The call failed before it changed anything.
  *
  * Without this, a guarded call that throws counts as unknown, and a person has to look before
  * it can run again.
  */
  static notApplied(message: string, options?: {
    cause?: unknown;
  }): ToolError;
  /** Whether `value` is one, also when another copy of the package made it. */
  static isInstance(value: unknown): value is ToolError;
}
/** What a result says about itself. */
interface EnvelopeMeta {
  /** The call ran earlier; this is its stored result. */
  readonly replayed?: true;
  /** A shadow run: the call was allowed and did not run. */
  readonly suppressed?: true;
}
/** Why a call gave no output. */
interface EnvelopeError {
  readonly code: Code;
  /** One sentence, safe to show to the model. */
  readonly message: string;
  /** What to do about it. */
  readonly help?: string;
  /** Whether the same call may be tried again. */
  readonly retryable: boolean;
}
/** The outcome of a call as a value. */
type Envelope<OUTPUT = unknown> = {
  readonly ok: true;
  readonly output: OUTPUT;
  readonly meta: EnvelopeMeta;
} | {
  readonly ok: false;
  readonly error: EnvelopeError;
};
/** A record as it was read. */
interface StoredRecord {
  /** The text of the record; `null` when there is none. */
  readonly record: string | null;
  /** To be handed back with the commit; 0 when there is no record. */
  readonly version: number;
  /** The time of the store's own clock. Every deadline is compared with this clock and no other. */
  readonly nowMs: number;
}
/** How a record that nobody touches any more shrinks and goes. */
interface Retention {
  /** From this time on `tombstone` takes the place of the record. */
  readonly shrinkAtMs: number;
  readonly tombstone: string;
  /** From this time on there is no record. */
  readonly deleteAtMs: number;
}
/** One step of one record, with everything that has to be written together with it. */
interface Write {
  readonly key: string;
  /** The version that was read. The commit happens only if it is still that one. */
  readonly version: number;
  readonly record: string;
  /** The commit happens only before this time of the store's clock. */
  readonly notAfterMs: number | null;
  /** The lists that the record stands in from now on; it leaves all others. */
  readonly index: readonly string[];
  /** The stream that is told, and what it is told. Numbers of a stream rise without gaps. */
  readonly stream: string;
  readonly event: string;
  /** `null` keeps the record until another commit says otherwise. */
  readonly retention: Retention | null;
}
/** What became of a commit. An exception means that nobody knows. */
type Written = "committed" | "conflict" | "late";
/** A record in a list. */
interface ListedRecord {
  readonly key: string;
  readonly record: string;
  readonly version: number;
}
/** One thing that happened to a record of a stream. */
interface StreamEvent {
  readonly number: number;
  readonly event: string;
}
/** Where records are kept. Every method may reject; the ledger then refuses what has not run yet. */
interface Store {
  /**
  * How long a runner may be silent before it counts as gone. `null` when a runner cannot outlive
  * the store, so that a lease would only end runs that are still going.
  */
  readonly leaseMs: number | null;
  read(key: string): Promise<StoredRecord>;
  commit(write: Write): Promise<Written>;
  /** The records of a list in the order of their last commit, from the version `after` on. */
  list(list: string, page?: {
    after?: number;
    limit?: number;
  }): Promise<ListedRecord[]>;
  /**
  * What happened in a stream after the number `after`, oldest first. A number that the stream has
  * not reached is from before it was forgotten: everything is told.
  */
  events(stream: string, after: number): Promise<StreamEvent[]>;
}
/** What a rule says about a call. */
type Action = "allow" | "ask" | "deny";
/** Every effect class, mildest first. */
declare const effects: readonly ["read", "internal-write", "external-write", "destructive"];
/**
* What a call may do to the world: nothing, change what the agent owns, change what others see,
* or do something that cannot be undone.
*/
type Effect = (typeof effects)[number];
/** A rule with more than an action: which resources, and under which conditions on the input. */
interface Rule {
  readonly pattern?: string;
  /** A map from a path (`input.amount`, `role`) to a JSON Schema fragment; all must hold. */
  readonly when?: Readonly<Record<string, object>>;
  readonly action: Action;
}
/** Rules the way the configuration writes them. The order of keys is the order of rules. */
type PermissionBlock = Action | Readonly<Record<string, Action | Readonly<Record<string, Action>> | readonly Rule[]>>;
/** Why a decision is what it is. */
interface Explanation {
  readonly tool: string;
  readonly action: Action;
  /** The step of the pipeline that gave the answer. */
  readonly why: string;
  /** The code of the refusal or the question; absent when the call may run. */
  readonly code?: Code;
  /** One sentence for a person. */
  readonly text: string;
  /** One short sentence for the model: no other tools, no rule text. */
  readonly safe: string;
  /** One sentence for each step of the pipeline that spoke. */
  readonly steps: readonly string[];
  readonly rule?: RuleOrigin;
  readonly resources: readonly {
    readonly resource: string;
    readonly action: Action;
    readonly rule?: RuleOrigin;
  }[];
}
/** The rule that decided, and where it was written. */
interface RuleOrigin {
  readonly permission: string;
  readonly pattern: string;
  readonly action: Action;
  readonly layer: string;
  readonly origin: string;
  readonly conditional: boolean;
}
/** A tool that is not in the table, and why. */
interface Hidden {
  readonly name: string;
  /** `offer`: this model or these flags do not get it. `seal`: a rule keeps it away. */
  readonly layer: "offer" | "seal";
  readonly reason: string;
}
/** What a person is asked. */
interface Question {
  /** The same for every attempt of this call. */
  readonly id: string;
  readonly tool: string;
  readonly callId: string;
  /** A copy: what the tool gets cannot be changed through it. */
  readonly input: unknown;
  readonly resources: readonly string[];
  /** Why it is asked, in one sentence. */
  readonly reason: string;
  readonly rule: RuleOrigin | undefined;
  readonly effect: Effect;
  readonly inputHash: string;
  readonly role: string | undefined;
  readonly session: string;
  readonly tenant: string | undefined;
  readonly principal: string | undefined;
  /** 0 for the agent itself, 1 for its sub-agents, and so on. */
  readonly depth: number;
  /** Whether `always` is taken as such; for destructive tools and conditional rules it counts as `once`. */
  readonly mayAlways: boolean;
  /** Rules that `always` could save. */
  readonly proposals: readonly never[];
}
/** What a person answers. */
type Decision = {
  readonly decision: "once";
} | {
  readonly decision: "always";
} | {
  readonly decision: "reject";
  readonly message?: string | undefined;
} | {
  readonly decision: "edit";
  readonly input: unknown;
};
/** Asks a person. The signal aborts when the question no longer matters. */
type Ask = (question: Question, options: {
  readonly signal: AbortSignal;
}) => Decision | PromiseLike<Decision>;
/** What every event about a call says. */
interface CallEvent {
  readonly tool: string;
  readonly callId: string;
  readonly session: string;
  readonly role: string | undefined;
  readonly tenant: string | undefined;
  readonly principal: string | undefined;
}
/** Every event and what it carries. */
interface ToolgateEvents {
  /** A decision let the call through; it is about to run. */
  readonly "call-allowed": CallEvent;
  /** The call did not run. */
  readonly "call-refused": CallEvent & {
    readonly code: Code;
    readonly message: string; /** The reason for a person, with the rule and where it stands. */
    readonly reason: string | undefined;
  };
  /** A recorded call came to its end. */
  readonly "call-settled": CallEvent & {
    readonly outcome: "succeeded" | "failed" | "unknown";
  };
  /** The stored result of an earlier run was returned. */
  readonly "call-replayed": CallEvent;
  readonly "question-asked": CallEvent & {
    readonly question: Question;
  };
  readonly "question-answered": CallEvent & {
    readonly decision: "once" | "always" | "edit" | "reject" | "cancel";
    readonly message: string | undefined;
  };
  /** A tool wrote about its own call with `ctx.metadata()`. */
  readonly "tool-metadata": CallEvent & {
    readonly title: string | undefined;
    readonly metadata: Readonly<Record<string, unknown>> | undefined;
  };
  /** Something works and is probably not what was meant. */
  readonly warning: {
    readonly message: string;
    readonly help: string;
  };
}
type EventName = keyof ToolgateEvents;
/** Listeners by event name. */
type Listeners = { readonly [NAME in EventName]?: ((event: ToolgateEvents[NAME]) => void) | undefined };
/** Adds a listener; call what it returns to remove it. */
type On = <NAME extends EventName>(name: NAME, listener: (event: ToolgateEvents[NAME]) => void) => () => void;
/** Which resources a call touches: a JSON pointer into the input, or a function of it. */
type ResourcePattern = string | ((input: never) => string | readonly string[]);
/** What a tool may do, and how rules speak of it. */
interface Declaration {
  /** Undeclared tools count as `external-write`. */
  readonly effect?: Effect | undefined;
  /** The group that toolsets of tenants name. */
  readonly category?: string | undefined;
  readonly permission?: {
    /** The name that rules use; the name of the tool when absent. */readonly name?: string | undefined; /** What the patterns of rules are matched against; `*` when absent. */
    readonly pattern?: ResourcePattern | undefined;
  } | undefined;
  /** `execute` returns an async iterable although it is not an async generator function. */
  readonly streaming?: boolean | undefined;
}
/** Declarations by tool name or glob. */
type Declarations = Readonly<Record<string, Declaration>>;
/** An AI SDK tool as it is: anything that has an input schema. */
interface ToolLike {
  readonly inputSchema: unknown;
}
/** Tools by name. */
type ToolTable = Readonly<Record<string, ToolLike>>;
/** The configuration as an object; the same keys as in `toolgate.jsonc`. */
interface Config {
  readonly $schema?: string;
  readonly permission?: PermissionBlock;
  readonly [key: string]: unknown;
}
/** What `createToolgate` takes. */
interface ToolgateOptions<TOOLS extends ToolTable = ToolTable> {
  /** The path of a `toolgate.jsonc`, the same as an object, or `false` for none. */
  readonly config?: string | Config | false | undefined;
  /** Whether a changed file is read again when a table is built. On unless `false`. */
  readonly reload?: boolean | undefined;
  /** The tools, the way the AI SDK takes them. */
  readonly tools?: TOOLS | undefined;
  /** What the tools do not say themselves, by name or glob. */
  readonly declare?: Declarations | undefined;
  /** Asks a person inside the call. Without it, questions go through the approvals of the AI SDK. */
  readonly ask?: Ask | undefined;
  /** Where calls are recorded so that none runs twice. `memoryStore()` when absent. */
  readonly store?: Store | false | undefined;
  /** Signs the approval requests of the AI SDK. Random for this process when absent. */
  readonly secret?: string | Uint8Array | undefined;
  /** Listeners by event name. */
  readonly on?: Listeners | undefined;
}
/** Where `ctx.metadata()` writes: the stream of UI messages. */
interface Writer {
  write(part: {
    type: `data-${string}`;
    id: string;
    data: unknown;
  }): void;
}
/** What the AI SDK 7 takes as the approval status of a call. */
type ApprovalStatus = {
  readonly type: "not-applicable";
} | {
  readonly type: "user-approval";
  readonly reason?: string;
} | {
  readonly type: "denied";
  readonly reason?: string;
};
/** What the AI SDK says about a call when it asks for its approval status. */
interface ApprovalOptions {
  readonly toolCallId: string;
  readonly messages: readonly ModelMessage[];
}
/** One entry of the map `toolApproval`, which the AI SDK 7 takes. */
type ToolApproval = (input: unknown, options: ApprovalOptions) => ApprovalStatus | Promise<ApprovalStatus>;
/** What to spread into `streamText`, `generateText` or the `prepareCall` of an agent. */
interface Settings<TOOLS> {
  readonly tools: TOOLS;
  /** Read by the AI SDK 7; the 6 reads `needsApproval` of each tool instead. */
  readonly toolApproval: { readonly [NAME in keyof TOOLS]: ToolApproval };
  readonly experimental_toolApprovalSecret: string | Uint8Array;
}
/** The model of a turn: `provider/id`, or the model object of the AI SDK. */
type ModelOption = string | {
  readonly provider: string;
  readonly modelId: string;
};
/** Who is served, with which model, and what this one request changes. */
interface Turn {
  readonly model?: ModelOption | undefined;
  readonly role?: string | undefined;
  /** The conversation. A random one that ends with the table when absent. */
  readonly session?: string | undefined;
  readonly tenant?: string | undefined;
  readonly principal?: string | undefined;
  /** Which user message is answered; found in the messages when absent. */
  readonly turn?: string | undefined;
  readonly messageId?: string | undefined;
  readonly flags?: readonly string[] | undefined;
  /** Tools of this request, by name or glob. `true` undoes an earlier `false` and lifts nothing else. */
  readonly tools?: Readonly<Record<string, boolean>> | undefined;
  /** Rules of this session, over those of the configuration. */
  readonly permission?: PermissionBlock | undefined;
  /** Guarded calls are recorded and do not run. */
  readonly shadow?: boolean | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}
/** What `table.child()` takes; everything else is the parent's. */
type ChildTurn = Pick<Turn, "model" | "role" | "turn" | "messageId" | "flags" | "tools" | "permission" | "shadow" | "abortSignal">;
/** The tools of one request, gated. */
interface Table<TOOLS> {
  /** The tools that this turn may see, in the order of the application. */
  readonly tools: TOOLS;
  /** What to spread into `streamText`, `generateText` or `prepareCall`. */
  readonly settings: Settings<TOOLS>;
  /** The tools that are not in the table, and why. */
  readonly hidden: readonly Hidden[];
  /** The conversation; random when `table()` got none. */
  readonly session: string;
  /**
  * Stands where `convertToModelMessages` stood. Takes the messages of `useChat` (or model
  * messages), records the answers in them, and closes questions that the user moved on from.
  */
  readonly messages: (messages: readonly UIMessage[] | readonly ModelMessage[]) => Promise<ModelMessage[]>;
  /** Why a call would be allowed, asked about or denied; without an input, why the tool is. */
  readonly explain: (name: string, input?: unknown) => Explanation;
  /** The same call without the AI SDK. Never throws for what the model or the tool did wrong. */
  readonly call: (name: string, input: unknown, options?: CallOptions) => Promise<Envelope>;
  /** A table for a sub-agent: it may do at most what this one may. */
  readonly child: (turn?: ChildTurn) => Table<TOOLS>;
  /** Where `ctx.metadata()` shows what a tool says about its call. */
  readonly attach: (writer: Writer) => void;
  /** Listens to the calls of this table; what it returns stops listening. */
  readonly on: On;
}
/** Options of `table.call`. */
interface CallOptions {
  /** The same id runs at most once, where the call is recorded. Random when absent. */
  readonly callId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly messages?: readonly ModelMessage[] | undefined;
}
/** Builds tables. One for each process. */
interface Toolgate<TOOLS> {
  /** The table of one request. Cheap; throws where the configuration was edited and is broken. */
  readonly table: (turn?: Turn) => Promise<Table<TOOLS>>;
  /** Listens to all tables; what it returns stops listening. */
  readonly on: On;
}
/**
* Creates the gate between a model and its tools.
*
* ```ts
* const toolgate = await createToolgate({
*   tools: { weather },
*   declare: { weather: { effect: 'read' } },
* })
* const table = await toolgate.table({ session: id })
* streamText({ model, messages: await table.messages(messages), ...table.settings })
* ```
*/
declare function createToolgate<TOOLS extends ToolTable = ToolTable>(options: ToolgateOptions<TOOLS>): Promise<Toolgate<TOOLS>>;
/** The second argument of a tool made by `defineTool`; `options.toolgate` of any other tool. */
interface ToolContext {
  readonly session: string;
  /** Which user message the call answers. */
  readonly turn: string;
  readonly messageId: string | undefined;
  readonly callId: string;
  readonly role: string | undefined;
  readonly tenant: string | undefined;
  readonly principal: string | undefined;
  readonly abortSignal: AbortSignal | undefined;
  /** The prompt that led to the call. */
  readonly messages: readonly ModelMessage[];
  /** The same for every attempt of this very call; only guarded calls have one. */
  readonly idempotencyKey: string | undefined;
  /** Asks a person in the middle of the work. Resolves when allowed, throws the refusal when not. */
  readonly ask: (question?: ToolQuestion) => Promise<void>;
  /** Shows something about this call while it runs. */
  readonly metadata: (about: ToolMetadata) => void;
  /** Properties that a plugin added to the input. */
  readonly extra: Readonly<Record<string, unknown>>;
}
/** A question of the tool itself. */
interface ToolQuestion {
  /** What is asked, in one sentence. */
  readonly reason?: string | undefined;
  /** What it is about; the resources of the call when absent. */
  readonly resources?: readonly string[] | undefined;
}
/** What a tool says about its own call. */
interface ToolMetadata {
  readonly title?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
/** A schema whose parsed value is an `INPUT`: zod 3 or 4, Standard Schema, or `jsonSchema()`. */
type SchemaOf<INPUT> = {
  readonly "~standard": {
    readonly types?: {
      readonly output: INPUT;
    } | undefined;
  };
} | {
  readonly _type: INPUT;
  readonly jsonSchema: unknown;
} | (() => SchemaOf<INPUT>);
/** What `defineTool` takes. */
interface ToolDefinition<INPUT, OUTPUT> {
  readonly description?: string | undefined;
  readonly inputSchema: SchemaOf<INPUT>;
  /** What a call may do to the world. `external-write` when absent. */
  readonly effect?: Effect | undefined;
  /** The group that toolsets of tenants name. */
  readonly category?: string | undefined;
  readonly permission?: {
    readonly name?: string | undefined;
    readonly pattern?: string | ((input: INPUT) => string | readonly string[]) | undefined;
  } | undefined;
  /** `execute` returns an async iterable although it is not an async generator function. */
  readonly streaming?: boolean | undefined;
  /** A stand-in for the output in a shadow run, where a guarded call does not run. */
  readonly shadow?: ((input: INPUT) => OUTPUT | PromiseLike<OUTPUT>) | undefined;
  readonly execute: (input: INPUT, context: ToolContext) => OUTPUT | PromiseLike<OUTPUT> | AsyncIterable<OUTPUT>;
  /** What the model reads instead of the output. */
  readonly toModelOutput?: Tool<INPUT, OUTPUT>["toModelOutput"];
}
/**
* Makes an AI SDK tool with a declared effect, permission and category.
*
* ```ts
* const weather = defineTool({
*   description: 'The weather of a city',
*   inputSchema: z.object({ city: z.string() }),
*   effect: 'read',
*   execute: async ({ city }, { abortSignal }) => fetchWeather(city, abortSignal),
* })
* ```
*/
declare function defineTool<INPUT, OUTPUT>(definition: ToolDefinition<INPUT, OUTPUT>): Tool<INPUT, OUTPUT>;
/** Options of {@link memoryStore}. */
interface MemoryStoreOptions {
  /** The time in milliseconds; `Date.now` when absent. */
  readonly clock?: () => number;
}
/** A store in the memory of this process. Results are kept a day, the fact that a call ran 30 days. */
declare function memoryStore(options?: MemoryStoreOptions): Store;
export { type Action, type ApprovalOptions, type ApprovalStatus, type Ask, type CallEvent, type CallOptions, type ChildTurn, type Code, type Config, type Decision, type Declaration, type Declarations, type Effect, type Envelope, type EnvelopeError, type EnvelopeMeta, type EventName, type Explanation, type Hidden, type Listeners, type ModelOption, type On, type PermissionBlock, type Question, RefusalError, type ResourcePattern, type Rule, type RuleOrigin, type SchemaOf, type Settings, type Span, type Table, type ToolApproval, type ToolContext, type ToolDefinition, ToolError, type ToolLike, type ToolMetadata, type ToolQuestion, type ToolTable, type Toolgate, ToolgateError, type ToolgateEvents, type ToolgateOptions, type Turn, type Writer, createToolgate, defineTool, memoryStore };
