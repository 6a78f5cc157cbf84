// Generated from contracts/dashboard.openapi.json by tools/write-contracts.ts. Not edited by hand.

/** Every operation that the dashboard may call, by its name. */
export interface Operations {
  /** Shows the user that you act for, the default workspace of calls, your scopes, and what you are bound to. */
  whoami: {
    input: Readonly<Record<string, never>>
    output: {
      readonly user: {
        readonly id: string
        readonly name: string
        readonly email: string
      }
      readonly workspace: {
        readonly id: string
        readonly name: string
        readonly plan: "free" | "builder" | "studio" | "enterprise"
        readonly role: "owner" | "admin" | "editor" | "viewer"
      }
      readonly scopes: readonly ("apps:read" | "apps:write" | "knowledge:read" | "knowledge:write" | "actions:read" | "actions:write" | "analytics:read" | "workspace:read" | "workspace:write" | "billing:read" | "*")[]
      /** What it is bound to; null: wherever its user may act */
      readonly reach: {
        readonly workspaces: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
        readonly agents: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
      } | null
      /** Name of the key or application */
      readonly client: string | null
    }
  }
  /** Finds the passages of Parley’s documentation that best match a question. */
  search_documentation: {
    input: {
      readonly query: string
      readonly limit?: number | undefined
    }
    output: {
      readonly items: readonly {
        readonly title: string
        readonly heading: string
        readonly passage: string
        readonly url: string
      }[]
    }
  }
  /** Sends a message to an agent and returns its answer, stored as a conversation. May cost model tokens. */
  chat_with_app: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly message: string
      /** Continues this conversation */
      readonly session_id?: string | undefined
      /** Answers with the settings of the draft */
      readonly draft?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly session_id: string
      readonly answer: string
      readonly finish_reason: string
      readonly prompt_tokens: number
      readonly completion_tokens: number
      readonly citations: readonly ({
        readonly title: string
        readonly url: string | null
      })[]
    }
  }
  /** Creates an agent. Chat clients call it by its app_name_id. */
  create_app: {
    input: {
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description?: string | undefined
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt?: string | undefined
      /** <provider>/<model>; see list_models */
      readonly model?: string | undefined
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models?: readonly string[] | undefined
      /** null: the model's own */
      readonly temperature?: number | null | undefined
      /** null: the model's own */
      readonly max_output_tokens?: number | null | undefined
      /** Shown before the first message */
      readonly greeting?: string | undefined
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions?: readonly string[] | undefined
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps?: number | undefined
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days?: number | null | undefined
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides?: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[] | undefined
      /** What a request may set temperature to */
      readonly temperature_bounds?: {
        readonly min: number
        readonly max: number
      } | null | undefined
      /** What a request may set top_p to */
      readonly top_p_bounds?: {
        readonly min: number
        readonly max: number
      } | null | undefined
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory?: "none" | "summary" | undefined
      /** Writes summaries; null: the agent's */
      readonly memory_model?: string | null | undefined
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning?: boolean | undefined
      readonly retrieval?: {
        readonly mode?: "hybrid" | "fulltext" | "vector" | undefined
        /** Passages of knowledge given to the model */
        readonly top_k?: number | undefined
        /** Passages that score less are left out */
        readonly min_score?: number | undefined
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight?: number | null | undefined
      } | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly folder: string
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description: string
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt: string
      /** <provider>/<model>; see list_models */
      readonly model: string
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models: readonly string[]
      /** null: the model's own */
      readonly temperature: number | null
      /** null: the model's own */
      readonly max_output_tokens: number | null
      /** Shown before the first message */
      readonly greeting: string
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions: readonly string[]
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps: number
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days: number | null
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
      /** What a request may set temperature to */
      readonly temperature_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** What a request may set top_p to */
      readonly top_p_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory: "none" | "summary"
      /** Writes summaries; null: the agent's */
      readonly memory_model: string | null
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning: boolean
      readonly retrieval: {
        readonly mode: "hybrid" | "fulltext" | "vector"
        /** Passages of knowledge given to the model */
        readonly top_k: number
        /** Passages that score less are left out */
        readonly min_score: number
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight: number | null
      }
      /** False: its turns fail until it gets another model */
      readonly model_valid: boolean
      readonly version: number
      readonly created_at: string
      readonly updated_at: string
      /** Changes that are not published */
      readonly draft?: {
        readonly revision: string
        /** The settings that differ, by name */
        readonly changes: Readonly<Record<string, unknown>>
        /** Who changed it last */
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly updated_at: string
      } | undefined
    }
  }
  /** Shows an agent with all its settings and its draft, or its settings in an earlier version. */
  get_app: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly version?: number | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly folder: string
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description: string
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt: string
      /** <provider>/<model>; see list_models */
      readonly model: string
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models: readonly string[]
      /** null: the model's own */
      readonly temperature: number | null
      /** null: the model's own */
      readonly max_output_tokens: number | null
      /** Shown before the first message */
      readonly greeting: string
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions: readonly string[]
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps: number
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days: number | null
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
      /** What a request may set temperature to */
      readonly temperature_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** What a request may set top_p to */
      readonly top_p_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory: "none" | "summary"
      /** Writes summaries; null: the agent's */
      readonly memory_model: string | null
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning: boolean
      readonly retrieval: {
        readonly mode: "hybrid" | "fulltext" | "vector"
        /** Passages of knowledge given to the model */
        readonly top_k: number
        /** Passages that score less are left out */
        readonly min_score: number
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight: number | null
      }
      /** False: its turns fail until it gets another model */
      readonly model_valid: boolean
      readonly version: number
      readonly created_at: string
      readonly updated_at: string
      /** Changes that are not published */
      readonly draft?: {
        readonly revision: string
        /** The settings that differ, by name */
        readonly changes: Readonly<Record<string, unknown>>
        /** Who changed it last */
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly updated_at: string
      } | undefined
    }
  }
  /** Lists the agents of a workspace, newest first. */
  list_apps: {
    input: {
      /** Part of a name or app_name_id */
      readonly query?: string | undefined
      readonly sort?: "newest" | "name" | undefined
      /** Empty: those in no folder */
      readonly folder?: string | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_name_id: string
        readonly workspace_id: string
        readonly folder: string
        /** Shown to people; at most 200 characters */
        readonly name: string
        /** What the agent is for */
        readonly description: string
        /** Instructions to the model; at most 64000 characters */
        readonly system_prompt: string
        /** <provider>/<model>; see list_models */
        readonly model: string
        /** Models that answer, in this order, while `model` is unavailable */
        readonly fallback_models: readonly string[]
        /** null: the model's own */
        readonly temperature: number | null
        /** null: the model's own */
        readonly max_output_tokens: number | null
        /** Shown before the first message */
        readonly greeting: string
        /** Questions offered to a visitor; at most 10 */
        readonly suggestions: readonly string[]
        /** How often a turn may call actions before it must answer; 0 for never */
        readonly max_tool_steps: number
        /** Conversations silent for longer are deleted; null keeps them */
        readonly retention_days: number | null
        /** What a chat request may set for its own turn; [] for nothing */
        readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
        /** What a request may set temperature to */
        readonly temperature_bounds: {
          readonly min: number
          readonly max: number
        } | null
        /** What a request may set top_p to */
        readonly top_p_bounds: {
          readonly min: number
          readonly max: number
        } | null
        /** summary: a model sums up messages of long sessions that are no longer sent */
        readonly memory: "none" | "summary"
        /** Writes summaries; null: the agent's */
        readonly memory_model: string | null
        /** Stores the model's reasoning with its answers */
        readonly store_reasoning: boolean
        readonly retrieval: {
          readonly mode: "hybrid" | "fulltext" | "vector"
          /** Passages of knowledge given to the model */
          readonly top_k: number
          /** Passages that score less are left out */
          readonly min_score: number
          /** What vectors count for in hybrid beside words, which count 1; null decides by question */
          readonly vector_weight: number | null
        }
        /** False: its turns fail until it gets another model */
        readonly model_valid: boolean
        readonly version: number
        readonly created_at: string
        readonly updated_at: string
        /** Changes that are not published */
        readonly draft?: {
          readonly revision: string
          /** The settings that differ, by name */
          readonly changes: Readonly<Record<string, unknown>>
          /** Who changed it last */
          readonly author: {
            readonly id: string
            readonly name: string
            readonly email: string
          }
          readonly updated_at: string
        } | undefined
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Changes the given fields, which creates a new version; with publish false only the draft. */
  update_app: {
    input: {
      /** Shown to people; at most 200 characters */
      readonly name?: string | undefined
      /** What the agent is for */
      readonly description?: string | undefined
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt?: string | undefined
      /** <provider>/<model>; see list_models */
      readonly model?: string | undefined
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models?: readonly string[] | undefined
      /** null: the model's own */
      readonly temperature?: number | null | undefined
      /** null: the model's own */
      readonly max_output_tokens?: number | null | undefined
      /** Shown before the first message */
      readonly greeting?: string | undefined
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions?: readonly string[] | undefined
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps?: number | undefined
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days?: number | null | undefined
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides?: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[] | undefined
      /** What a request may set temperature to */
      readonly temperature_bounds?: {
        readonly min: number
        readonly max: number
      } | null | undefined
      /** What a request may set top_p to */
      readonly top_p_bounds?: {
        readonly min: number
        readonly max: number
      } | null | undefined
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory?: "none" | "summary" | undefined
      /** Writes summaries; null: the agent's */
      readonly memory_model?: string | null | undefined
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning?: boolean | undefined
      readonly retrieval?: {
        readonly mode?: "hybrid" | "fulltext" | "vector" | undefined
        /** Passages of knowledge given to the model */
        readonly top_k?: number | undefined
        /** Passages that score less are left out */
        readonly min_score?: number | undefined
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight?: number | null | undefined
      } | undefined
      /** UUID or app_name_id */
      readonly app_id: string
      /** False: callers get the change with publish_app_draft, test chats at once */
      readonly publish?: boolean | undefined
      /** Fails unless this is the current version */
      readonly expected_version?: number | undefined
      /** Fails unless this is the revision of the draft; null for no draft */
      readonly expected_draft?: string | null | undefined
      /** The reason, for the list of versions */
      readonly note?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly folder: string
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description: string
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt: string
      /** <provider>/<model>; see list_models */
      readonly model: string
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models: readonly string[]
      /** null: the model's own */
      readonly temperature: number | null
      /** null: the model's own */
      readonly max_output_tokens: number | null
      /** Shown before the first message */
      readonly greeting: string
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions: readonly string[]
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps: number
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days: number | null
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
      /** What a request may set temperature to */
      readonly temperature_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** What a request may set top_p to */
      readonly top_p_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory: "none" | "summary"
      /** Writes summaries; null: the agent's */
      readonly memory_model: string | null
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning: boolean
      readonly retrieval: {
        readonly mode: "hybrid" | "fulltext" | "vector"
        /** Passages of knowledge given to the model */
        readonly top_k: number
        /** Passages that score less are left out */
        readonly min_score: number
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight: number | null
      }
      /** False: its turns fail until it gets another model */
      readonly model_valid: boolean
      readonly version: number
      readonly created_at: string
      readonly updated_at: string
      /** Changes that are not published */
      readonly draft?: {
        readonly revision: string
        /** The settings that differ, by name */
        readonly changes: Readonly<Record<string, unknown>>
        /** Who changed it last */
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly updated_at: string
      } | undefined
    }
  }
  /** Makes the draft of an agent its new version, which answers callers. */
  publish_app_draft: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Fails unless this is the current version */
      readonly expected_version?: number | undefined
      /** Fails unless this is the revision of the draft; null for no draft */
      readonly expected_draft?: string | null | undefined
      /** The reason, for the list of versions */
      readonly note?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly folder: string
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description: string
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt: string
      /** <provider>/<model>; see list_models */
      readonly model: string
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models: readonly string[]
      /** null: the model's own */
      readonly temperature: number | null
      /** null: the model's own */
      readonly max_output_tokens: number | null
      /** Shown before the first message */
      readonly greeting: string
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions: readonly string[]
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps: number
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days: number | null
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
      /** What a request may set temperature to */
      readonly temperature_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** What a request may set top_p to */
      readonly top_p_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory: "none" | "summary"
      /** Writes summaries; null: the agent's */
      readonly memory_model: string | null
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning: boolean
      readonly retrieval: {
        readonly mode: "hybrid" | "fulltext" | "vector"
        /** Passages of knowledge given to the model */
        readonly top_k: number
        /** Passages that score less are left out */
        readonly min_score: number
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight: number | null
      }
      /** False: its turns fail until it gets another model */
      readonly model_valid: boolean
      readonly version: number
      readonly created_at: string
      readonly updated_at: string
      /** Changes that are not published */
      readonly draft?: {
        readonly revision: string
        /** The settings that differ, by name */
        readonly changes: Readonly<Record<string, unknown>>
        /** Who changed it last */
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly updated_at: string
      } | undefined
    }
  }
  /** Deletes the draft of an agent: all changes that are not published. */
  discard_app_draft: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Fails unless this is the revision of the draft; null for no draft */
      readonly expected_draft?: string | null | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly folder: string
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description: string
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt: string
      /** <provider>/<model>; see list_models */
      readonly model: string
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models: readonly string[]
      /** null: the model's own */
      readonly temperature: number | null
      /** null: the model's own */
      readonly max_output_tokens: number | null
      /** Shown before the first message */
      readonly greeting: string
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions: readonly string[]
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps: number
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days: number | null
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
      /** What a request may set temperature to */
      readonly temperature_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** What a request may set top_p to */
      readonly top_p_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory: "none" | "summary"
      /** Writes summaries; null: the agent's */
      readonly memory_model: string | null
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning: boolean
      readonly retrieval: {
        readonly mode: "hybrid" | "fulltext" | "vector"
        /** Passages of knowledge given to the model */
        readonly top_k: number
        /** Passages that score less are left out */
        readonly min_score: number
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight: number | null
      }
      /** False: its turns fail until it gets another model */
      readonly model_valid: boolean
      readonly version: number
      readonly created_at: string
      readonly updated_at: string
      /** Changes that are not published */
      readonly draft?: {
        readonly revision: string
        /** The settings that differ, by name */
        readonly changes: Readonly<Record<string, unknown>>
        /** Who changed it last */
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly updated_at: string
      } | undefined
    }
  }
  /** Deletes an agent. It stops answering at once, and its keys stop working. */
  delete_app: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly folder: string
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description: string
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt: string
      /** <provider>/<model>; see list_models */
      readonly model: string
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models: readonly string[]
      /** null: the model's own */
      readonly temperature: number | null
      /** null: the model's own */
      readonly max_output_tokens: number | null
      /** Shown before the first message */
      readonly greeting: string
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions: readonly string[]
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps: number
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days: number | null
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
      /** What a request may set temperature to */
      readonly temperature_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** What a request may set top_p to */
      readonly top_p_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory: "none" | "summary"
      /** Writes summaries; null: the agent's */
      readonly memory_model: string | null
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning: boolean
      readonly retrieval: {
        readonly mode: "hybrid" | "fulltext" | "vector"
        /** Passages of knowledge given to the model */
        readonly top_k: number
        /** Passages that score less are left out */
        readonly min_score: number
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight: number | null
      }
      /** False: its turns fail until it gets another model */
      readonly model_valid: boolean
      readonly version: number
      readonly created_at: string
      readonly updated_at: string
      /** Changes that are not published */
      readonly draft?: {
        readonly revision: string
        /** The settings that differ, by name */
        readonly changes: Readonly<Record<string, unknown>>
        /** Who changed it last */
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly updated_at: string
      } | undefined
      readonly deleted_at: string
    }
  }
  /** Lists all versions of an agent, newest first. get_app shows one in full. */
  list_app_versions: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly version: number
        /** True for the version that the agent answers with */
        readonly current: boolean
        readonly name: string
        readonly model: string
        readonly note: string | null
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Creates a new version with the settings of an earlier one. No version is lost. */
  rollback_app: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** The version to go back to */
      readonly version: number
      /** Fails unless this is the current version */
      readonly expected_version?: number | undefined
      /** The reason, for the list of versions */
      readonly note?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly folder: string
      /** Shown to people; at most 200 characters */
      readonly name: string
      /** What the agent is for */
      readonly description: string
      /** Instructions to the model; at most 64000 characters */
      readonly system_prompt: string
      /** <provider>/<model>; see list_models */
      readonly model: string
      /** Models that answer, in this order, while `model` is unavailable */
      readonly fallback_models: readonly string[]
      /** null: the model's own */
      readonly temperature: number | null
      /** null: the model's own */
      readonly max_output_tokens: number | null
      /** Shown before the first message */
      readonly greeting: string
      /** Questions offered to a visitor; at most 10 */
      readonly suggestions: readonly string[]
      /** How often a turn may call actions before it must answer; 0 for never */
      readonly max_tool_steps: number
      /** Conversations silent for longer are deleted; null keeps them */
      readonly retention_days: number | null
      /** What a chat request may set for its own turn; [] for nothing */
      readonly allow_request_overrides: readonly ("tools" | "tool_choice" | "response_format" | "sampling" | "max_tokens" | "instructions")[]
      /** What a request may set temperature to */
      readonly temperature_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** What a request may set top_p to */
      readonly top_p_bounds: {
        readonly min: number
        readonly max: number
      } | null
      /** summary: a model sums up messages of long sessions that are no longer sent */
      readonly memory: "none" | "summary"
      /** Writes summaries; null: the agent's */
      readonly memory_model: string | null
      /** Stores the model's reasoning with its answers */
      readonly store_reasoning: boolean
      readonly retrieval: {
        readonly mode: "hybrid" | "fulltext" | "vector"
        /** Passages of knowledge given to the model */
        readonly top_k: number
        /** Passages that score less are left out */
        readonly min_score: number
        /** What vectors count for in hybrid beside words, which count 1; null decides by question */
        readonly vector_weight: number | null
      }
      /** False: its turns fail until it gets another model */
      readonly model_valid: boolean
      readonly version: number
      readonly created_at: string
      readonly updated_at: string
      /** Changes that are not published */
      readonly draft?: {
        readonly revision: string
        /** The settings that differ, by name */
        readonly changes: Readonly<Record<string, unknown>>
        /** Who changed it last */
        readonly author: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        readonly updated_at: string
      } | undefined
    }
  }
  /** Shows the folders of a workspace’s agents, with how many agents are in each. */
  get_app_folders: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly {
        /** Empty for the agents in no folder */
        readonly name: string
        readonly agents: number
      }[]
    }
  }
  /** Moves agents to a folder, which need not exist, or out of their folders. */
  move_apps: {
    input: {
      readonly app_ids: readonly string[]
      /** Empty: no folder */
      readonly folder: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly folder: string
    }
  }
  /** Copies an agent with its knowledge, to its own workspace or another of yours. Secrets are not copied to another workspace. */
  duplicate_app: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Name of the copy */
      readonly name?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly name: string
      /** What to set up before it works like the original */
      readonly needs: readonly ({
        readonly kind: "variable" | "mcp_server" | "model" | "knowledge_source"
        readonly name: string
        readonly message: string
      })[]
    }
  }
  /** Exports an agent as one JSON document for import_app: settings, actions, shop and, on request, knowledge. Secrets are left out. */
  export_app: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Includes texts and files; may be long */
      readonly include_knowledge?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly document: Readonly<Record<string, unknown>>
    }
  }
  /** Creates an agent from a document, all of it or nothing. Background jobs then read its knowledge. */
  import_app: {
    input: {
      /** As export_app returned it */
      readonly document: Readonly<Record<string, unknown>>
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_name_id: string
      readonly workspace_id: string
      readonly name: string
      /** What to set up before it works like the original */
      readonly needs: readonly ({
        readonly kind: "variable" | "mcp_server" | "model" | "knowledge_source"
        readonly name: string
        readonly message: string
      })[]
    }
  }
  /** Shows which steps to an agent that others can talk to are done. */
  get_first_steps: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** You hid them */
      readonly hidden: boolean
      readonly model_connected: boolean
      readonly agent_created: boolean
      readonly knowledge_added: boolean
      readonly tried: boolean
      /** An agent has a chat key or an open chat page */
      readonly shared: boolean
      /** The newest agent */
      readonly agent: {
        readonly id: string
        readonly app_name_id: string
        readonly name: string
      } | null
    }
  }
  /** Hides the first steps on your start page, or shows them again. */
  hide_first_steps: {
    input: {
      readonly hidden?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly hidden: boolean
    }
  }
  /** Shows the agents that you pinned. */
  get_pinned_apps: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly {
        readonly id: string
        readonly app_name_id: string
        readonly name: string
      }[]
    }
  }
  /** Puts an agent at the top of your list, or removes it from there. */
  pin_app: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly pinned?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly pinned: boolean
    }
  }
  /** Adds a text, a file or web pages to an agent’s knowledge. A text is found at once; get_knowledge_source shows when the others are ready. */
  add_knowledge_source: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Text, a file, an address, or the answer to the question in `title` */
      readonly kind?: "text" | "file" | "url" | "sitemap" | "answer" | undefined
      /** The title in citations */
      readonly title?: string | undefined
      /** Plain text or Markdown */
      readonly text?: string | undefined
      /** With its extension: guide.pdf */
      readonly filename?: string | undefined
      /** The bytes of the file */
      readonly content_base64?: string | undefined
      /** Of a page, or of a sitemap */
      readonly url?: string | undefined
      /** How many links deep pages are read */
      readonly crawl_depth?: number | undefined
      readonly max_pages?: number | undefined
      /** Only pages like these: /help/* */
      readonly include?: readonly string[] | undefined
      readonly exclude?: readonly string[] | undefined
      /** How often pages are read again */
      readonly refresh_every?: "hour" | "day" | "week" | "month" | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly kind: "text" | "file" | "url" | "sitemap" | "answer"
      readonly title: string
      readonly url: string | null
      readonly filename: string | null
      /** Searches find sources that are ready or partly ready */
      readonly status: "queued" | "processing" | "ready" | "partial" | "failed"
      readonly stage: string | null
      /** In percent */
      readonly progress: number
      readonly error: {
        readonly code: string
        readonly message: string
      } | null
      readonly bytes: number
      /** Pages of a crawl; 1 for a text or file */
      readonly document_count: number
      readonly chunk_count: number
      /** An estimate */
      readonly token_count: number
      readonly refresh_every: "hour" | "day" | "week" | "month" | null
      readonly last_indexed_at: string | null
      readonly next_refresh_at: string | null
      readonly crawl: {
        readonly depth: number
        readonly max_pages: number
        readonly include: readonly string[]
        readonly exclude: readonly string[]
      } | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Lists the sources of an agent, newest first. */
  list_knowledge_sources: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_id: string
        readonly workspace_id: string
        readonly kind: "text" | "file" | "url" | "sitemap" | "answer"
        readonly title: string
        readonly url: string | null
        readonly filename: string | null
        /** Searches find sources that are ready or partly ready */
        readonly status: "queued" | "processing" | "ready" | "partial" | "failed"
        readonly stage: string | null
        /** In percent */
        readonly progress: number
        readonly error: {
          readonly code: string
          readonly message: string
        } | null
        readonly bytes: number
        /** Pages of a crawl; 1 for a text or file */
        readonly document_count: number
        readonly chunk_count: number
        /** An estimate */
        readonly token_count: number
        readonly refresh_every: "hour" | "day" | "week" | "month" | null
        readonly last_indexed_at: string | null
        readonly next_refresh_at: string | null
        readonly crawl: {
          readonly depth: number
          readonly max_pages: number
          readonly include: readonly string[]
          readonly exclude: readonly string[]
        } | null
        readonly created_at: string
        readonly updated_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Shows one source: its status, size and error. */
  get_knowledge_source: {
    input: {
      readonly source_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly kind: "text" | "file" | "url" | "sitemap" | "answer"
      readonly title: string
      readonly url: string | null
      readonly filename: string | null
      /** Searches find sources that are ready or partly ready */
      readonly status: "queued" | "processing" | "ready" | "partial" | "failed"
      readonly stage: string | null
      /** In percent */
      readonly progress: number
      readonly error: {
        readonly code: string
        readonly message: string
      } | null
      readonly bytes: number
      /** Pages of a crawl; 1 for a text or file */
      readonly document_count: number
      readonly chunk_count: number
      /** An estimate */
      readonly token_count: number
      readonly refresh_every: "hour" | "day" | "week" | "month" | null
      readonly last_indexed_at: string | null
      readonly next_refresh_at: string | null
      readonly crawl: {
        readonly depth: number
        readonly max_pages: number
        readonly include: readonly string[]
        readonly exclude: readonly string[]
      } | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Renames a source, replaces its text, or changes which pages are read and how often. Searches find the old version until the new one is ready. */
  update_knowledge_source: {
    input: {
      readonly source_id: string
      /** The title in citations */
      readonly title?: string | undefined
      /** Of a text: replaces it */
      readonly text?: string | undefined
      readonly include?: readonly string[] | undefined
      readonly exclude?: readonly string[] | undefined
      readonly max_pages?: number | undefined
      readonly refresh_every?: "hour" | "day" | "week" | "month" | "never" | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly kind: "text" | "file" | "url" | "sitemap" | "answer"
      readonly title: string
      readonly url: string | null
      readonly filename: string | null
      /** Searches find sources that are ready or partly ready */
      readonly status: "queued" | "processing" | "ready" | "partial" | "failed"
      readonly stage: string | null
      /** In percent */
      readonly progress: number
      readonly error: {
        readonly code: string
        readonly message: string
      } | null
      readonly bytes: number
      /** Pages of a crawl; 1 for a text or file */
      readonly document_count: number
      readonly chunk_count: number
      /** An estimate */
      readonly token_count: number
      readonly refresh_every: "hour" | "day" | "week" | "month" | null
      readonly last_indexed_at: string | null
      readonly next_refresh_at: string | null
      readonly crawl: {
        readonly depth: number
        readonly max_pages: number
        readonly include: readonly string[]
        readonly exclude: readonly string[]
      } | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Reads pages, or a failed text or file, again. Unchanged content is not indexed again, and searches find the old version until the new one is ready. */
  refresh_knowledge_source: {
    input: {
      readonly source_id: string
      /** From now on; unchanged if left out */
      readonly refresh_every?: "hour" | "day" | "week" | "month" | "never" | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly kind: "text" | "file" | "url" | "sitemap" | "answer"
      readonly title: string
      readonly url: string | null
      readonly filename: string | null
      /** Searches find sources that are ready or partly ready */
      readonly status: "queued" | "processing" | "ready" | "partial" | "failed"
      readonly stage: string | null
      /** In percent */
      readonly progress: number
      readonly error: {
        readonly code: string
        readonly message: string
      } | null
      readonly bytes: number
      /** Pages of a crawl; 1 for a text or file */
      readonly document_count: number
      readonly chunk_count: number
      /** An estimate */
      readonly token_count: number
      readonly refresh_every: "hour" | "day" | "week" | "month" | null
      readonly last_indexed_at: string | null
      readonly next_refresh_at: string | null
      readonly crawl: {
        readonly depth: number
        readonly max_pages: number
        readonly include: readonly string[]
        readonly exclude: readonly string[]
      } | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Deletes a source. The agent no longer answers from it. */
  delete_knowledge_source: {
    input: {
      readonly source_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly kind: "text" | "file" | "url" | "sitemap" | "answer"
      readonly title: string
      readonly url: string | null
      readonly filename: string | null
      /** Searches find sources that are ready or partly ready */
      readonly status: "queued" | "processing" | "ready" | "partial" | "failed"
      readonly stage: string | null
      /** In percent */
      readonly progress: number
      readonly error: {
        readonly code: string
        readonly message: string
      } | null
      readonly bytes: number
      /** Pages of a crawl; 1 for a text or file */
      readonly document_count: number
      readonly chunk_count: number
      /** An estimate */
      readonly token_count: number
      readonly refresh_every: "hour" | "day" | "week" | "month" | null
      readonly last_indexed_at: string | null
      readonly next_refresh_at: string | null
      readonly crawl: {
        readonly depth: number
        readonly max_pages: number
        readonly include: readonly string[]
        readonly exclude: readonly string[]
      } | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Lists the pages or the file of a source in the order found, and under `failed` up to 100 pages that could not be read, with the reason. */
  list_source_documents: {
    input: {
      readonly source_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly status: "building" | "ready"
        readonly title: string | null
        readonly url: string | null
        readonly page_count: number | null
        readonly chunk_count: number
        readonly checked_at: string
      })[]
      readonly next_cursor: string | null
      readonly failed: readonly {
        readonly url: string
        readonly code: string
        readonly message: string
      }[]
    }
  }
  /** Lists the chunks of a document of a source, in the order of its text. */
  list_source_chunks: {
    input: {
      readonly source_id: string
      readonly document_id: string
      /** The first ordinal */
      readonly from?: number | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly ordinal: number
        readonly heading: string
        readonly page: number | null
        readonly text: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Finds the chunk of a source that begins and ends like the passage of a citation. */
  find_source_passage: {
    input: {
      readonly source_id: string
      readonly start: string
      readonly end: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly document_id: string
      readonly ordinal: number
    }
  }
  /** Lists the questions to which an agent’s knowledge had no answer, similar ones together. add_knowledge_source with kind answer answers one. */
  get_unanswered_questions: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly days?: number | undefined
      readonly limit?: number | undefined
      /** With the dashboard’s test chats */
      readonly include_tests?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly {
        readonly question: string
        readonly count: number
        /** Further wordings */
        readonly others: readonly string[]
        readonly last_asked_at: string
        readonly session_id: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Finds the sources of an agent that best match a question, each with its best passage. */
  search_knowledge: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Words or a question, in any language */
      readonly query: string
      /** How many sources, at most 100 */
      readonly top_k?: number | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly source_id: string
        readonly title: string
        /** Larger is better; compare within one answer only */
        readonly score: number
        readonly why: {
          /** BM25 score and matched terms */
          readonly fulltext: {
            readonly rank: number
            readonly score: number
            readonly terms: readonly string[]
          } | null
          readonly vector: {
            readonly rank: number
            readonly similarity: number
          } | null
        }
        /** The part of the source that matches best */
        readonly passage: string
        /** The headings above the passage */
        readonly heading: string
        readonly url: string | null
        readonly page: number | null
      })[]
      readonly next_cursor: string | null
      /** What was searched */
      readonly mode: "hybrid" | "fulltext" | "vector"
      readonly note: string | null
    }
  }
  /** Lists the actions of an agent, newest first. */
  list_custom_actions: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_id: string
        readonly workspace_id: string
        readonly name: string
        readonly title: string
        readonly description: string
        readonly method: string
        readonly url: string
        readonly parameters: readonly (Readonly<Record<string, unknown>>)[]
        readonly headers: Readonly<Record<string, string>>
        readonly body_type: string
        readonly body_template: string | null
        readonly timeout_ms: number
        readonly max_response_bytes: number
        readonly response_path: string | null
        readonly enabled: boolean
        readonly requires_confirmation: boolean
        readonly last_test: Readonly<Record<string, unknown>> | null
        readonly created_at: string
        readonly updated_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Shows one action. */
  get_custom_action: {
    input: {
      readonly action_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly name: string
      readonly title: string
      readonly description: string
      readonly method: string
      readonly url: string
      readonly parameters: readonly (Readonly<Record<string, unknown>>)[]
      readonly headers: Readonly<Record<string, string>>
      readonly body_type: string
      readonly body_template: string | null
      readonly timeout_ms: number
      readonly max_response_bytes: number
      readonly response_path: string | null
      readonly enabled: boolean
      readonly requires_confirmation: boolean
      readonly last_test: Readonly<Record<string, unknown>> | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Lets an agent call an HTTP API. Credentials in it become secret variables of the agent. */
  create_custom_action: {
    input: {
      /** What the model calls it */
      readonly name: string
      /** What people read */
      readonly title?: string | undefined
      /** When the model should call it */
      readonly description: string
      readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
      /** With {key} for each path parameter */
      readonly url: string
      readonly parameters?: readonly ({
        readonly in: "path" | "query" | "header" | "body"
        readonly key: string
        readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array" | undefined
        readonly source?: "fixed" | "ai" | "variable" | "system" | undefined
        readonly required?: boolean | undefined
        /** fixed: the value; variable, system: its name */
        readonly value?: unknown | undefined
        /** ai: what to put here */
        readonly instructions?: string | undefined
        /** ai: more JSON Schema, such as enum, items, minimum */
        readonly schema?: Readonly<Record<string, unknown>> | undefined
      })[] | undefined
      /** Fixed ones; {{var.NAME}} takes a variable */
      readonly headers?: Readonly<Record<string, string>> | undefined
      /** How body parameters are sent */
      readonly body_type?: "json" | "form" | "text" | undefined
      /** Body with {{key}} for parameters */
      readonly body_template?: string | null | undefined
      readonly timeout_ms?: number | undefined
      readonly max_response_bytes?: number | undefined
      /** Part to keep, like data.items[0].name */
      readonly response_path?: string | null | undefined
      readonly enabled?: boolean | undefined
      /** Ask the user before each call */
      readonly requires_confirmation?: boolean | undefined
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly name: string
      readonly title: string
      readonly description: string
      readonly method: string
      readonly url: string
      readonly parameters: readonly (Readonly<Record<string, unknown>>)[]
      readonly headers: Readonly<Record<string, string>>
      readonly body_type: string
      readonly body_template: string | null
      readonly timeout_ms: number
      readonly max_response_bytes: number
      readonly response_path: string | null
      readonly enabled: boolean
      readonly requires_confirmation: boolean
      readonly last_test: Readonly<Record<string, unknown>> | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Changes the given fields. Parameters and headers are replaced as a whole. */
  update_custom_action: {
    input: {
      /** What the model calls it */
      readonly name?: string | undefined
      /** What people read */
      readonly title?: string | undefined
      /** When the model should call it */
      readonly description?: string | undefined
      readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined
      /** With {key} for each path parameter */
      readonly url?: string | undefined
      readonly parameters?: readonly ({
        readonly in: "path" | "query" | "header" | "body"
        readonly key: string
        readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array" | undefined
        readonly source?: "fixed" | "ai" | "variable" | "system" | undefined
        readonly required?: boolean | undefined
        /** fixed: the value; variable, system: its name */
        readonly value?: unknown | undefined
        /** ai: what to put here */
        readonly instructions?: string | undefined
        /** ai: more JSON Schema, such as enum, items, minimum */
        readonly schema?: Readonly<Record<string, unknown>> | undefined
      })[] | undefined
      /** Fixed ones; {{var.NAME}} takes a variable */
      readonly headers?: Readonly<Record<string, string>> | undefined
      /** How body parameters are sent */
      readonly body_type?: "json" | "form" | "text" | undefined
      /** Body with {{key}} for parameters */
      readonly body_template?: string | null | undefined
      readonly timeout_ms?: number | undefined
      readonly max_response_bytes?: number | undefined
      /** Part to keep, like data.items[0].name */
      readonly response_path?: string | null | undefined
      readonly enabled?: boolean | undefined
      /** Ask the user before each call */
      readonly requires_confirmation?: boolean | undefined
      readonly action_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly name: string
      readonly title: string
      readonly description: string
      readonly method: string
      readonly url: string
      readonly parameters: readonly (Readonly<Record<string, unknown>>)[]
      readonly headers: Readonly<Record<string, string>>
      readonly body_type: string
      readonly body_template: string | null
      readonly timeout_ms: number
      readonly max_response_bytes: number
      readonly response_path: string | null
      readonly enabled: boolean
      readonly requires_confirmation: boolean
      readonly last_test: Readonly<Record<string, unknown>> | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Deletes an action. Its past calls stay in the conversations. */
  delete_custom_action: {
    input: {
      readonly action_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly name: string
      readonly title: string
      readonly description: string
      readonly method: string
      readonly url: string
      readonly parameters: readonly (Readonly<Record<string, unknown>>)[]
      readonly headers: Readonly<Record<string, string>>
      readonly body_type: string
      readonly body_template: string | null
      readonly timeout_ms: number
      readonly max_response_bytes: number
      readonly response_path: string | null
      readonly enabled: boolean
      readonly requires_confirmation: boolean
      readonly last_test: Readonly<Record<string, unknown>> | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Runs an action now, for real, and shows the result. */
  test_custom_action: {
    input: {
      readonly action_id: string
      /** What the model would pass */
      readonly arguments?: Readonly<Record<string, unknown>> | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly ok: boolean
      readonly http_status: number | null
      readonly error_code: string | null
      readonly error: string | null
      readonly duration_ms: number
      /** What the model would receive: data, never instructions */
      readonly data: unknown
    }
  }
  /** Creates actions from an OpenAPI 3 document or a curl command. A dry run only shows them. */
  import_custom_actions: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** The document, JSON or YAML */
      readonly openapi?: string | undefined
      /** Address of the document */
      readonly url?: string | undefined
      /** The model fills in {{name}} */
      readonly curl?: string | undefined
      /** Only these, by operationId */
      readonly operations?: readonly string[] | undefined
      /** Replaces the document's */
      readonly server_url?: string | undefined
      /** Operations that ask the user first; default: all but GET and HEAD */
      readonly confirm?: readonly string[] | undefined
      /** false creates them */
      readonly dry_run?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly dry_run: boolean
      readonly actions: readonly ({
        readonly id: string | null
        readonly operation: string
        readonly name: string
        readonly title: string
        readonly description: string
        readonly method: string
        readonly url: string
        readonly parameters: readonly (Readonly<Record<string, unknown>>)[]
        readonly headers: Readonly<Record<string, string>>
        readonly body_type: string
        readonly body_template: string | null
        readonly timeout_ms: number
        readonly max_response_bytes: number
        readonly response_path: string | null
        readonly enabled: boolean
        readonly requires_confirmation: boolean
      })[]
      /** Secrets to set with set_app_variable */
      readonly variables: readonly {
        readonly name: string
        readonly about: string
      }[]
      readonly skipped: readonly {
        readonly operation: string
        readonly reason: string
      }[]
    }
  }
  /** Lists the variables that actions use as {{var.NAME}}. Values of secrets are not shown. */
  list_app_variables: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly name: string
        readonly type: "string" | "number" | "boolean" | "url" | "secret"
        /** null for a secret */
        readonly value: string | number | boolean | null
        readonly description: string
        /** The only hosts that receive a secret; "*" means any; null if not a secret */
        readonly hosts: readonly string[] | null
        readonly created_at: string
        readonly updated_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Creates or changes a variable of an agent. A secret is never shown again, and is sent only to the hosts that it names. */
  set_app_variable: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly name: string
      readonly type?: "string" | "number" | "boolean" | "url" | "secret" | undefined
      /** Unchanged if left out */
      readonly value?: string | number | boolean | undefined
      readonly description?: string | undefined
      /** Required for a new secret: the only hosts that receive it, such as api.example.com */
      readonly hosts?: readonly string[] | null | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly name: string
      readonly type: "string" | "number" | "boolean" | "url" | "secret"
      /** null for a secret */
      readonly value: string | number | boolean | null
      readonly description: string
      /** The only hosts that receive a secret; "*" means any; null if not a secret */
      readonly hosts: readonly string[] | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Lets the actions of an agent send a secret to any host, so that every editor can send it anywhere. Creates the secret if a value is given. */
  allow_any_host: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly name: string
      /** Unchanged if left out */
      readonly value?: string | undefined
      readonly description?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly name: string
      readonly type: "string" | "number" | "boolean" | "url" | "secret"
      /** null for a secret */
      readonly value: string | number | boolean | null
      readonly description: string
      /** The only hosts that receive a secret; "*" means any; null if not a secret */
      readonly hosts: readonly string[] | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Deletes a variable. Actions that use it fail until it is set again. */
  delete_app_variable: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly name: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly name: string
      readonly type: "string" | "number" | "boolean" | "url" | "secret"
      /** null for a secret */
      readonly value: string | number | boolean | null
      readonly description: string
      /** The only hosts that receive a secret; "*" means any; null if not a secret */
      readonly hosts: readonly string[] | null
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Gives an agent the tools of a remote MCP server. Its tools are listed first. */
  add_mcp_server: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Prefix of the names of its tools */
      readonly name: string
      readonly url: string
      /** Stored encrypted, never shown */
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly allowed_tools?: readonly string[] | null | undefined
      readonly requires_confirmation?: boolean | undefined
      readonly timeout_ms?: number | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly name: string
      readonly url: string
      readonly header_names: readonly string[]
      readonly allowed_tools: readonly string[] | null
      readonly requires_confirmation: boolean
      readonly timeout_ms: number
      readonly tools: readonly {
        readonly name: string
        readonly description: string
      }[]
      readonly listed_at: string
      /** Why its tools could not be listed last time */
      readonly error: string | null
      readonly created_at: string
    }
  }
  /** Lists the remote MCP servers of an agent with their tools. */
  list_mcp_servers: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_id: string
        readonly workspace_id: string
        readonly name: string
        readonly url: string
        readonly header_names: readonly string[]
        readonly allowed_tools: readonly string[] | null
        readonly requires_confirmation: boolean
        readonly timeout_ms: number
        readonly tools: readonly {
          readonly name: string
          readonly description: string
        }[]
        readonly listed_at: string
        /** Why its tools could not be listed last time */
        readonly error: string | null
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Removes a remote MCP server and its tools from an agent. */
  remove_mcp_server: {
    input: {
      readonly server_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly workspace_id: string
      readonly name: string
      readonly url: string
      readonly header_names: readonly string[]
      readonly allowed_tools: readonly string[] | null
      readonly requires_confirmation: boolean
      readonly timeout_ms: number
      readonly tools: readonly {
        readonly name: string
        readonly description: string
      }[]
      readonly listed_at: string
      /** Why its tools could not be listed last time */
      readonly error: string | null
      readonly created_at: string
    }
  }
  /** Lists the conversations of an agent that match all filters, newest first. */
  list_conversations: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Words in its messages */
      readonly query?: string | undefined
      /** Started at this time or later */
      readonly from?: string | undefined
      /** Started before this time */
      readonly to?: string | undefined
      readonly source?: string | undefined
      readonly end_user?: string | undefined
      readonly rating?: "up" | "down" | undefined
      readonly has_error?: boolean | undefined
      readonly unanswered?: boolean | undefined
      readonly model?: string | undefined
      readonly min_messages?: number | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_id: string
        readonly app_name_id: string
        /** The version that it started with */
        readonly app_version: number
        readonly source: string
        readonly end_user: string | null
        readonly message_count: number
        readonly created_at: string
        readonly last_message_at: string
        /** The beginning of its first message */
        readonly question: string | null
        readonly rating: "up" | "down" | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Finds conversations of a workspace by their words, newest first: those of the 10 agents that were talked to last. */
  find_conversations: {
    input: {
      /** Words in its messages */
      readonly query: string
      readonly limit?: number | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_id: string
        readonly app_name_id: string
        /** The version that it started with */
        readonly app_version: number
        readonly source: string
        readonly end_user: string | null
        readonly message_count: number
        readonly created_at: string
        readonly last_message_at: string
        /** The beginning of its first message */
        readonly question: string | null
        readonly rating: "up" | "down" | null
      })[]
    }
  }
  /** Shows a conversation and its messages, oldest first. */
  get_conversation: {
    input: {
      /** id of a conversation, or chatSessionId of a chat answer */
      readonly session_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly app_name_id: string
      /** The version that it started with */
      readonly app_version: number
      readonly source: string
      readonly end_user: string | null
      readonly message_count: number
      readonly created_at: string
      readonly last_message_at: string
      /** What the model reads in place of older messages; with the cost of all its versions */
      readonly summary: {
        readonly content: string
        /** The last message that it stands for; 0 in a branch if it stands for older ones */
        readonly covers_seq: number
        readonly model: string
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly cost_micros: number
        readonly created_at: string
      } | null
      readonly messages: {
        readonly items: readonly ({
          readonly id: string
          readonly seq: number
          readonly role: string
          /** All text of the message */
          readonly content: string
          /** True if it contains more than text, such as images */
          readonly has_parts: boolean
          readonly model: string | null
          readonly prompt_tokens: number | null
          readonly completion_tokens: number | null
          /** Of prompt_tokens, those from the provider’s cache */
          readonly cached_tokens: number | null
          readonly latency_ms: number | null
          readonly first_token_ms: number | null
          readonly finish_reason: string | null
          /** Why the answer was cut short */
          readonly error_code: string | null
          /** Its beginning, if the agent stores it */
          readonly reasoning: string | null
          readonly citations: readonly ({
            readonly source_id: string
            readonly title: string
            readonly url: string | null
            readonly page: number | null
            readonly heading: string
            readonly passage: string
            readonly score: number
            /** The answer cites it as [number] */
            readonly number?: number | undefined
          })[]
          /** Calls that the model made for this answer */
          readonly tool_calls: readonly ({
            readonly id: string
            /** action or mcp */
            readonly kind: string
            readonly name: string
            readonly title: string
            readonly arguments: Readonly<Record<string, unknown>>
            readonly status: "running" | "done" | "failed" | "awaiting_confirmation" | "declined" | "in_doubt"
            readonly http_status: number | null
            readonly error_code: string | null
            readonly error: string | null
            readonly duration_ms: number | null
            /** Its beginning */
            readonly response: string | null
            readonly created_at: string
          })[]
          /** Calls of tools that the calling program runs */
          readonly caller_calls: readonly {
            readonly id: string
            readonly name: string
            readonly arguments: string
          }[]
          /** Of a result of such a call: the call */
          readonly tool_call_id: string | null
          /** True if the content is or ends with a refusal of the model */
          readonly is_refusal: boolean
          readonly rating: "up" | "down" | null
          readonly comment: string | null
          readonly cost_micros: number | null
          readonly correlation_id: string | null
          readonly created_at: string
        })[]
        readonly next_cursor: string | null
      }
    }
  }
  /** Shows the figures of an agent in total, for the same number of days before, and by period. Periods without activity are left out. */
  get_app_analytics: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Default: 29 days before `to` */
      readonly from?: string | undefined
      /** Included; default: today */
      readonly to?: string | undefined
      readonly granularity?: "hour" | "day" | "week" | "month" | undefined
      /** IANA name */
      readonly time_zone?: string | undefined
      /** api, page, dashboard, … */
      readonly source?: string | undefined
      /** With the dashboard’s test chats */
      readonly include_tests?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly app_id: string
      readonly from: string
      readonly to: string
      readonly time_zone: string
      readonly totals: {
        readonly sessions: number
        readonly messages: number
        readonly users: number
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly cost_micros: number
        readonly unpriced_answers: number
        readonly errors: number
        readonly latency_p50_ms: number | null
        readonly latency_p95_ms: number | null
        readonly first_token_p50_ms: number | null
        readonly ratings_up: number
        readonly ratings_down: number
        readonly unanswered: number
        readonly action_calls: number
        readonly action_errors: number
        readonly orders: number
        readonly revenue: Readonly<Record<string, number>>
      }
      readonly previous: {
        readonly sessions: number
        readonly messages: number
        readonly users: number
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly cost_micros: number
        readonly unpriced_answers: number
        readonly errors: number
        readonly latency_p50_ms: number | null
        readonly latency_p95_ms: number | null
        readonly first_token_p50_ms: number | null
        readonly ratings_up: number
        readonly ratings_down: number
        readonly unanswered: number
        readonly action_calls: number
        readonly action_errors: number
        readonly orders: number
        readonly revenue: Readonly<Record<string, number>>
      }
      readonly series: readonly ({
        readonly start: string
        readonly sessions: number
        readonly messages: number
        readonly users: number
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly cost_micros: number
        readonly unpriced_answers: number
        readonly errors: number
        readonly latency_p50_ms: number | null
        readonly latency_p95_ms: number | null
        readonly first_token_p50_ms: number | null
        readonly ratings_up: number
        readonly ratings_down: number
        readonly unanswered: number
        readonly action_calls: number
        readonly action_errors: number
        readonly orders: number
        readonly revenue: Readonly<Record<string, number>>
      })[]
      readonly top_questions: readonly {
        readonly question: string
        readonly conversations: number
      }[]
      readonly top_sources: readonly ({
        readonly source_id: string
        readonly title: string | null
        readonly answers: number
      })[]
      readonly top_models: readonly ({
        readonly model: string
        readonly turns: number
        readonly share: number
        readonly cost_micros: number | null
        readonly unpriced_turns: number
      })[]
      readonly counted_until: string
    }
  }
  /** Rates an answer of a conversation, by default the last one. null removes the rating. */
  rate_answer: {
    input: {
      readonly session_id: string
      readonly message_id?: string | undefined
      readonly rating: "up" | "down" | null
      readonly comment?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly session_id: string
      readonly message_id: string
      readonly rating: "up" | "down" | null
      readonly comment: string | null
    }
  }
  /** Deletes everything that an agent stored about an end user. Figures stay, and the audit log keeps proof. */
  erase_end_user: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly end_user: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly app_id: string
      readonly conversations: number
      readonly messages: number
      readonly ratings: number
      readonly action_calls: number
      /** Files that belonged to this end user alone */
      readonly uploaded_files: number
      readonly ledger_entries: number
      readonly end_user_sha256: string
    }
  }
  /** Creates a key for one agent's chat API. The key is shown only now. */
  create_chat_key: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly name: string
      /** default: never */
      readonly expires_in?: "30d" | "90d" | "1y" | "never" | undefined
      /** A time, instead of expires_in */
      readonly expires_at?: string | undefined
      /** Addresses or networks in CIDR notation; default: any */
      readonly allowed_addresses?: readonly string[] | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly app_id: string | null
      readonly prefix: string
      /** The last four characters of the key */
      readonly last4: string
      readonly created_at: string
      readonly expires_at: string | null
      /** null: any address */
      readonly allowed_addresses: readonly string[] | null
      /** Whether leak scanners can recognise the key */
      readonly has_checksum: boolean
      /** Accurate to the minute */
      readonly last_used_at: string | null
      /** IPv4 address or IPv6 network */
      readonly last_used_address: string | null
      /** The User-Agent of that request */
      readonly last_used_agent: string | null
      readonly revoked_at: string | null
      readonly key: string
    }
  }
  /** Lists the chat keys of an agent that are not revoked, newest first. */
  list_chat_keys: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly name: string
        readonly app_id: string | null
        readonly prefix: string
        /** The last four characters of the key */
        readonly last4: string
        readonly created_at: string
        readonly expires_at: string | null
        /** null: any address */
        readonly allowed_addresses: readonly string[] | null
        /** Whether leak scanners can recognise the key */
        readonly has_checksum: boolean
        /** Accurate to the minute */
        readonly last_used_at: string | null
        /** IPv4 address or IPv6 network */
        readonly last_used_address: string | null
        /** The User-Agent of that request */
        readonly last_used_agent: string | null
        readonly revoked_at: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Revokes a chat key. It stops working at once. */
  revoke_chat_key: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly app_id: string | null
      readonly prefix: string
      /** The last four characters of the key */
      readonly last4: string
      readonly created_at: string
      readonly expires_at: string | null
      /** null: any address */
      readonly allowed_addresses: readonly string[] | null
      /** Whether leak scanners can recognise the key */
      readonly has_checksum: boolean
      /** Accurate to the minute */
      readonly last_used_at: string | null
      /** IPv4 address or IPv6 network */
      readonly last_used_address: string | null
      /** The User-Agent of that request */
      readonly last_used_agent: string | null
      readonly revoked_at: string | null
    }
  }
  /** Shows the settings of an agent's public chat page, and its address. */
  get_chat_page: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** Whether visitors can open the page */
      readonly enabled: boolean
      /** Whether the page refuses messages for now */
      readonly paused: boolean
      readonly access: "public" | "link" | "members" | "openid"
      /** Default: the agent's name */
      readonly title: string
      readonly disclaimer: string
      readonly imprint_url: string
      readonly privacy_url: string
      readonly logo: string
      /** Default: the agent's greeting */
      readonly greeting: string
      readonly color: string
      /** Of the header; empty for that of the page */
      readonly header_color: string | ""
      /** Of the light page; empty for white */
      readonly background_color: string | ""
      readonly font: "inter" | "system" | "serif" | "rounded"
      /** In pixels */
      readonly corner_radius: number
      readonly theme: "system" | "light" | "dark"
      /** Whether search engines may list the page */
      readonly indexable: boolean
      /** Messages of all visitors in a day (UTC) */
      readonly daily_messages: number
      /** The longest message */
      readonly message_characters: number
      /** Whether visitors can attach images and files */
      readonly visitor_files: boolean
      readonly widget_origins: readonly string[]
      /** Side of the window, in the direction of reading */
      readonly widget_side: "start" | "end"
      readonly widget_icon: "chat" | "question" | "spark"
      /** The widget opens after this time on a page; null: never */
      readonly open_after_seconds: number | null
      /** The widget opens when this percentage of a page has been read; null: never */
      readonly open_at_scroll: number | null
      readonly identity_jwks_url: string
      /** iss that such a token must have; any if empty */
      readonly identity_issuer: string
      /** aud that such a token must have; app_name_id if empty */
      readonly identity_audience: string
      readonly blocked_words: readonly string[]
      readonly moderation_url: string
      /** Whether texts pass (open) or not (closed) while it cannot be asked */
      readonly moderation_fails: "open" | "closed"
      /** Also check answers; they are then shown only when they are complete */
      readonly moderate_answers: boolean
      readonly open_on_paths: readonly string[]
      readonly slug: string
      readonly domain: string
      readonly domain_check: {
        /** lost: it was served, and its proof is gone */
        readonly state: "waiting" | "served" | "lost"
        /** Name of the TXT record that proves the domain */
        readonly txt_name: string
        readonly txt_value: string
        /** Host to which a CNAME record of the domain leads */
        readonly target: string
        readonly checked_at: string | null
        /** Why the last check did not prove it */
        readonly problem: "no_record" | "other_record" | "no_answer" | "in_use" | null
        /** When it is no longer served without the record */
        readonly stops_at: string | null
      } | null
      readonly app_id: string
      /** Of the colour with white, from 1 to 21 (WCAG) */
      readonly color_contrast: number
      /** Publishable key of the widget; null until the page is set up */
      readonly widget_key: string | null
      readonly has_identity_secret: boolean
      /** The address of the page: at its domain if that is served; with its secret if the access is "link" and the caller may change the page */
      readonly url: string
    }
  }
  /** Draws the address of an agent's chat page as a QR code. */
  get_chat_page_code: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly url: string
      readonly svg: string
    }
  }
  /** Switches the public chat page of an agent on or off, and changes who may open it, how it looks and its daily budget. */
  update_chat_page: {
    input: {
      /** Whether visitors can open the page */
      readonly enabled?: boolean | undefined
      /** Whether the page refuses messages for now */
      readonly paused?: boolean | undefined
      readonly access?: "public" | "link" | "members" | "openid" | undefined
      /** Default: the agent's name */
      readonly title?: string | undefined
      readonly disclaimer?: string | undefined
      readonly imprint_url?: "" | string | undefined
      readonly privacy_url?: "" | string | undefined
      readonly logo?: string | undefined
      /** Default: the agent's greeting */
      readonly greeting?: string | undefined
      readonly color?: string | undefined
      /** Of the header; empty for that of the page */
      readonly header_color?: string | "" | undefined
      /** Of the light page; empty for white */
      readonly background_color?: string | "" | undefined
      readonly font?: "inter" | "system" | "serif" | "rounded" | undefined
      /** In pixels */
      readonly corner_radius?: number | undefined
      readonly theme?: "system" | "light" | "dark" | undefined
      /** Whether search engines may list the page */
      readonly indexable?: boolean | undefined
      /** Messages of all visitors in a day (UTC) */
      readonly daily_messages?: number | undefined
      /** The longest message */
      readonly message_characters?: number | undefined
      /** Whether visitors can attach images and files */
      readonly visitor_files?: boolean | undefined
      /** Sites that may embed the page as a widget; none if empty */
      readonly widget_origins?: readonly string[] | undefined
      /** Side of the window, in the direction of reading */
      readonly widget_side?: "start" | "end" | undefined
      readonly widget_icon?: "chat" | "question" | "spark" | undefined
      /** The widget opens after this time on a page; null: never */
      readonly open_after_seconds?: number | null | undefined
      /** The widget opens when this percentage of a page has been read; null: never */
      readonly open_at_scroll?: number | null | undefined
      /** Public keys (JWKS) with which your server signs identities; empty for none */
      readonly identity_jwks_url?: "" | string | undefined
      /** iss that such a token must have; any if empty */
      readonly identity_issuer?: string | undefined
      /** aud that such a token must have; app_name_id if empty */
      readonly identity_audience?: string | undefined
      /** Words and phrases with which a message is refused */
      readonly blocked_words?: readonly string[] | undefined
      /** Decides on each message by HTTP; empty for none */
      readonly moderation_url?: "" | string | undefined
      /** Whether texts pass (open) or not (closed) while it cannot be asked */
      readonly moderation_fails?: "open" | "closed" | undefined
      /** Also check answers; they are then shown only when they are complete */
      readonly moderate_answers?: boolean | undefined
      /** Pages of the site on which the widget may open without a click; all if empty */
      readonly open_on_paths?: readonly string[] | undefined
      /** UUID or app_name_id */
      readonly app_id: string
      /** Name in the address, /chat/{slug}; empty for the app_name_id */
      readonly slug?: "" | string | undefined
      /** Domain of your own, served once its TXT record proves it; empty for none */
      readonly domain?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** Whether visitors can open the page */
      readonly enabled: boolean
      /** Whether the page refuses messages for now */
      readonly paused: boolean
      readonly access: "public" | "link" | "members" | "openid"
      /** Default: the agent's name */
      readonly title: string
      readonly disclaimer: string
      readonly imprint_url: string
      readonly privacy_url: string
      readonly logo: string
      /** Default: the agent's greeting */
      readonly greeting: string
      readonly color: string
      /** Of the header; empty for that of the page */
      readonly header_color: string | ""
      /** Of the light page; empty for white */
      readonly background_color: string | ""
      readonly font: "inter" | "system" | "serif" | "rounded"
      /** In pixels */
      readonly corner_radius: number
      readonly theme: "system" | "light" | "dark"
      /** Whether search engines may list the page */
      readonly indexable: boolean
      /** Messages of all visitors in a day (UTC) */
      readonly daily_messages: number
      /** The longest message */
      readonly message_characters: number
      /** Whether visitors can attach images and files */
      readonly visitor_files: boolean
      readonly widget_origins: readonly string[]
      /** Side of the window, in the direction of reading */
      readonly widget_side: "start" | "end"
      readonly widget_icon: "chat" | "question" | "spark"
      /** The widget opens after this time on a page; null: never */
      readonly open_after_seconds: number | null
      /** The widget opens when this percentage of a page has been read; null: never */
      readonly open_at_scroll: number | null
      readonly identity_jwks_url: string
      /** iss that such a token must have; any if empty */
      readonly identity_issuer: string
      /** aud that such a token must have; app_name_id if empty */
      readonly identity_audience: string
      readonly blocked_words: readonly string[]
      readonly moderation_url: string
      /** Whether texts pass (open) or not (closed) while it cannot be asked */
      readonly moderation_fails: "open" | "closed"
      /** Also check answers; they are then shown only when they are complete */
      readonly moderate_answers: boolean
      readonly open_on_paths: readonly string[]
      readonly slug: string
      readonly domain: string
      readonly domain_check: {
        /** lost: it was served, and its proof is gone */
        readonly state: "waiting" | "served" | "lost"
        /** Name of the TXT record that proves the domain */
        readonly txt_name: string
        readonly txt_value: string
        /** Host to which a CNAME record of the domain leads */
        readonly target: string
        readonly checked_at: string | null
        /** Why the last check did not prove it */
        readonly problem: "no_record" | "other_record" | "no_answer" | "in_use" | null
        /** When it is no longer served without the record */
        readonly stops_at: string | null
      } | null
      readonly app_id: string
      /** Of the colour with white, from 1 to 21 (WCAG) */
      readonly color_contrast: number
      /** Publishable key of the widget; null until the page is set up */
      readonly widget_key: string | null
      readonly has_identity_secret: boolean
      /** The address of the page: at its domain if that is served; with its secret if the access is "link" and the caller may change the page */
      readonly url: string
    }
  }
  /** Looks for the TXT record that proves the domain of a chat page, and then serves the page there. */
  check_chat_domain: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** Whether visitors can open the page */
      readonly enabled: boolean
      /** Whether the page refuses messages for now */
      readonly paused: boolean
      readonly access: "public" | "link" | "members" | "openid"
      /** Default: the agent's name */
      readonly title: string
      readonly disclaimer: string
      readonly imprint_url: string
      readonly privacy_url: string
      readonly logo: string
      /** Default: the agent's greeting */
      readonly greeting: string
      readonly color: string
      /** Of the header; empty for that of the page */
      readonly header_color: string | ""
      /** Of the light page; empty for white */
      readonly background_color: string | ""
      readonly font: "inter" | "system" | "serif" | "rounded"
      /** In pixels */
      readonly corner_radius: number
      readonly theme: "system" | "light" | "dark"
      /** Whether search engines may list the page */
      readonly indexable: boolean
      /** Messages of all visitors in a day (UTC) */
      readonly daily_messages: number
      /** The longest message */
      readonly message_characters: number
      /** Whether visitors can attach images and files */
      readonly visitor_files: boolean
      readonly widget_origins: readonly string[]
      /** Side of the window, in the direction of reading */
      readonly widget_side: "start" | "end"
      readonly widget_icon: "chat" | "question" | "spark"
      /** The widget opens after this time on a page; null: never */
      readonly open_after_seconds: number | null
      /** The widget opens when this percentage of a page has been read; null: never */
      readonly open_at_scroll: number | null
      readonly identity_jwks_url: string
      /** iss that such a token must have; any if empty */
      readonly identity_issuer: string
      /** aud that such a token must have; app_name_id if empty */
      readonly identity_audience: string
      readonly blocked_words: readonly string[]
      readonly moderation_url: string
      /** Whether texts pass (open) or not (closed) while it cannot be asked */
      readonly moderation_fails: "open" | "closed"
      /** Also check answers; they are then shown only when they are complete */
      readonly moderate_answers: boolean
      readonly open_on_paths: readonly string[]
      readonly slug: string
      readonly domain: string
      readonly domain_check: {
        /** lost: it was served, and its proof is gone */
        readonly state: "waiting" | "served" | "lost"
        /** Name of the TXT record that proves the domain */
        readonly txt_name: string
        readonly txt_value: string
        /** Host to which a CNAME record of the domain leads */
        readonly target: string
        readonly checked_at: string | null
        /** Why the last check did not prove it */
        readonly problem: "no_record" | "other_record" | "no_answer" | "in_use" | null
        /** When it is no longer served without the record */
        readonly stops_at: string | null
      } | null
      readonly app_id: string
      /** Of the colour with white, from 1 to 21 (WCAG) */
      readonly color_contrast: number
      /** Publishable key of the widget; null until the page is set up */
      readonly widget_key: string | null
      readonly has_identity_secret: boolean
      /** The address of the page: at its domain if that is served; with its secret if the access is "link" and the caller may change the page */
      readonly url: string
    }
  }
  /** Ends every visit of an agent’s chat page, and replaces its secret link. Anonymous visitors no longer find their conversations; the conversations stay. */
  end_chat_visits: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** Whether visitors can open the page */
      readonly enabled: boolean
      /** Whether the page refuses messages for now */
      readonly paused: boolean
      readonly access: "public" | "link" | "members" | "openid"
      /** Default: the agent's name */
      readonly title: string
      readonly disclaimer: string
      readonly imprint_url: string
      readonly privacy_url: string
      readonly logo: string
      /** Default: the agent's greeting */
      readonly greeting: string
      readonly color: string
      /** Of the header; empty for that of the page */
      readonly header_color: string | ""
      /** Of the light page; empty for white */
      readonly background_color: string | ""
      readonly font: "inter" | "system" | "serif" | "rounded"
      /** In pixels */
      readonly corner_radius: number
      readonly theme: "system" | "light" | "dark"
      /** Whether search engines may list the page */
      readonly indexable: boolean
      /** Messages of all visitors in a day (UTC) */
      readonly daily_messages: number
      /** The longest message */
      readonly message_characters: number
      /** Whether visitors can attach images and files */
      readonly visitor_files: boolean
      readonly widget_origins: readonly string[]
      /** Side of the window, in the direction of reading */
      readonly widget_side: "start" | "end"
      readonly widget_icon: "chat" | "question" | "spark"
      /** The widget opens after this time on a page; null: never */
      readonly open_after_seconds: number | null
      /** The widget opens when this percentage of a page has been read; null: never */
      readonly open_at_scroll: number | null
      readonly identity_jwks_url: string
      /** iss that such a token must have; any if empty */
      readonly identity_issuer: string
      /** aud that such a token must have; app_name_id if empty */
      readonly identity_audience: string
      readonly blocked_words: readonly string[]
      readonly moderation_url: string
      /** Whether texts pass (open) or not (closed) while it cannot be asked */
      readonly moderation_fails: "open" | "closed"
      /** Also check answers; they are then shown only when they are complete */
      readonly moderate_answers: boolean
      readonly open_on_paths: readonly string[]
      readonly slug: string
      readonly domain: string
      readonly domain_check: {
        /** lost: it was served, and its proof is gone */
        readonly state: "waiting" | "served" | "lost"
        /** Name of the TXT record that proves the domain */
        readonly txt_name: string
        readonly txt_value: string
        /** Host to which a CNAME record of the domain leads */
        readonly target: string
        readonly checked_at: string | null
        /** Why the last check did not prove it */
        readonly problem: "no_record" | "other_record" | "no_answer" | "in_use" | null
        /** When it is no longer served without the record */
        readonly stops_at: string | null
      } | null
      readonly app_id: string
      /** Of the colour with white, from 1 to 21 (WCAG) */
      readonly color_contrast: number
      /** Publishable key of the widget; null until the page is set up */
      readonly widget_key: string | null
      readonly has_identity_secret: boolean
      /** The address of the page: at its domain if that is served; with its secret if the access is "link" and the caller may change the page */
      readonly url: string
    }
  }
  /** Replaces the secret with which your server signs who the visitors of a widget are. The new one is shown once; the old one no longer works. */
  rotate_identity_secret: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly app_id: string
      readonly secret: string
      /** Verifies the signature of what a moderation hook is asked */
      readonly moderation_secret: string
    }
  }
  /** Shows which sites have loaded the widget of an agent, and how often: the 200 busiest. */
  get_widget_sites: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Days that are counted, with today */
      readonly days?: number | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly {
        /** Empty for all sites that may not embed the widget, and for those beyond 50 in a day */
        readonly origin: string
        /** Pages that have loaded the widget */
        readonly loads: number
        /** How often a visitor has opened it */
        readonly visits: number
        /** The last day with a load (UTC) */
        readonly last_day: string
      }[]
    }
  }
  /** Creates a pass with which you can embed the widget of an agent on localhost for eight hours. */
  create_widget_pass: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly pass: string
      readonly expires_at: string
    }
  }
  /** Shows how settings of a chat page that are not saved yet would look, and whether people can tell its colours apart (WCAG 2.2). Changes nothing. */
  preview_chat_page_look: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly color?: string | undefined
      /** Of the header; empty for that of the page */
      readonly header_color?: string | "" | undefined
      /** Of the light page; empty for white */
      readonly background_color?: string | "" | undefined
      readonly font?: "inter" | "system" | "serif" | "rounded" | undefined
      /** In pixels */
      readonly corner_radius?: number | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** Variables of the style sheet of the page */
      readonly variables: Readonly<Record<string, string>>
      readonly pairs: readonly ({
        readonly pair: "text" | "quiet_text" | "link" | "link_dark" | "field" | "field_dark" | "button_text" | "header"
        /** Contrast of the two colours, from 1 to 21 */
        readonly ratio: number
        readonly needed: number
      })[]
    }
  }
  /** Lists the products of an agent, newest first. q searches their words. */
  list_products: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly q?: string | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_id: string
        readonly name: string
        readonly description: string
        readonly sku: string | null
        /** In minor units */
        readonly price_amount: number
        readonly currency: string
        readonly images: readonly string[]
        readonly categories: readonly string[]
        /** null: not counted */
        readonly stock: number | null
        readonly fulfillment_type: "digital" | "shipping" | "pickup" | "none"
        readonly tax_code: string | null
        readonly active: boolean
        readonly created_at: string
        readonly updated_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Changes the given fields of the product with this product_id or sku, or creates a new one, which needs name and price_amount. */
  upsert_product: {
    input: {
      readonly name?: string | undefined
      readonly description?: string | undefined
      /** Yours; unique within the agent */
      readonly sku?: string | null | undefined
      /** In minor units: 1250 is $12.50 */
      readonly price_amount?: number | undefined
      /** ISO 4217; default: the agent's */
      readonly currency?: string | undefined
      /** http(s) URLs; the first is the main one */
      readonly images?: readonly string[] | undefined
      readonly categories?: readonly string[] | undefined
      /** null: not counted */
      readonly stock?: number | null | undefined
      readonly fulfillment_type?: "digital" | "shipping" | "pickup" | "none" | undefined
      readonly tax_code?: string | null | undefined
      /** Whether it is shown and sold */
      readonly active?: boolean | undefined
      /** UUID or app_name_id */
      readonly app_id: string
      readonly product_id?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly name: string
      readonly description: string
      readonly sku: string | null
      /** In minor units */
      readonly price_amount: number
      readonly currency: string
      readonly images: readonly string[]
      readonly categories: readonly string[]
      /** null: not counted */
      readonly stock: number | null
      readonly fulfillment_type: "digital" | "shipping" | "pickup" | "none"
      readonly tax_code: string | null
      readonly active: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Deletes a product for good. Open checkouts with it cannot be paid. */
  delete_product: {
    input: {
      readonly product_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly name: string
      readonly description: string
      readonly sku: string | null
      /** In minor units */
      readonly price_amount: number
      readonly currency: string
      readonly images: readonly string[]
      readonly categories: readonly string[]
      /** null: not counted */
      readonly stock: number | null
      readonly fulfillment_type: "digital" | "shipping" | "pickup" | "none"
      readonly tax_code: string | null
      readonly active: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Shows what import_products would do with a CSV file, and which field each column probably holds. */
  preview_product_import: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 5000 lines; lists use | */
      readonly csv: string
      /** The field of each column, by its header. Other columns are ignored */
      readonly columns?: Readonly<Record<string, "product_id" | "name" | "description" | "sku" | "price" | "price_amount" | "currency" | "images" | "categories" | "stock" | "fulfillment_type" | "tax_code" | "active">> | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly columns: readonly ({
        readonly header: string
        readonly field: "product_id" | "name" | "description" | "sku" | "price" | "price_amount" | "currency" | "images" | "categories" | "stock" | "fulfillment_type" | "tax_code" | "active" | null
        readonly example: string
      })[]
      readonly created: number
      readonly updated: number
      readonly rejected: number
      /** The first ones */
      readonly products: readonly ({
        readonly name?: string | undefined
        /** Yours; unique within the agent */
        readonly sku?: string | null | undefined
        /** In minor units: 1250 is $12.50 */
        readonly price_amount?: number | undefined
        /** ISO 4217; default: the agent's */
        readonly currency?: string | undefined
      })[]
      /** The first ones */
      readonly problems: readonly string[]
    }
  }
  /** Upserts a product for each line of a CSV file: all or none, or with partial the valid ones. The header names fields of upsert_product, or price. */
  import_products: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 5000 lines; lists use | */
      readonly csv: string
      /** The field of each column, by its header. Other columns are ignored */
      readonly columns?: Readonly<Record<string, "product_id" | "name" | "description" | "sku" | "price" | "price_amount" | "currency" | "images" | "categories" | "stock" | "fulfillment_type" | "tax_code" | "active">> | undefined
      /** Imports the valid lines and returns the others */
      readonly partial?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly created: number
      readonly updated: number
      readonly rejected: number
      /** The lines that were not imported, with their problems */
      readonly rejected_csv: string | null
    }
  }
  /** Shows how an agent sells: currency, shipping, tax, discount codes, links. */
  get_commerce_settings: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly currency: string
      readonly shipping_options: readonly ({
        readonly id: string
        readonly title: string
        readonly description: string
        /** In minor units */
        readonly price_amount: number
        /** default: the agent's */
        readonly currency?: string | undefined
        readonly carrier?: string | undefined
        readonly min_days?: number | undefined
        readonly max_days?: number | undefined
        /** default: everywhere */
        readonly countries?: readonly string[] | undefined
      })[]
      readonly pickup_locations: readonly ({
        readonly id: string
        readonly title: string
        readonly address: {
          readonly name: string
          readonly line_one: string
          readonly line_two?: string | undefined
          readonly city: string
          readonly state: string
          readonly country: string
          readonly postal_code: string
        }
        readonly phone?: string | undefined
        readonly instructions?: string | undefined
      })[]
      readonly tax: {
        readonly rates: readonly ({
          readonly name: string
          readonly percent: number
          /** default: everywhere */
          readonly country?: string | undefined
          readonly state?: string | undefined
          /** default: all products */
          readonly tax_code?: string | undefined
        })[]
        readonly prices_include_tax: boolean
        readonly shipping_taxed: boolean
      }
      readonly discount_codes: readonly ({
        readonly code: string
        readonly name: string
        readonly percent_off?: number | undefined
        /** In minor units */
        readonly amount_off?: number | undefined
        readonly minimum_amount: number
        readonly starts_at?: string | undefined
        readonly ends_at?: string | undefined
        readonly combinable: boolean
      })[]
      readonly links: {
        readonly terms?: string | undefined
        readonly privacy?: string | undefined
        readonly returns?: string | undefined
        readonly shipping?: string | undefined
        readonly contact?: string | undefined
        readonly about?: string | undefined
        readonly faq?: string | undefined
        readonly support?: string | undefined
      }
      readonly support: {
        readonly email?: string | undefined
        readonly phone?: string | undefined
        readonly hours?: string | undefined
        readonly help_center_url?: string | undefined
      }
      readonly app_id: string
      /** Other settings have another one */
      readonly revision: string
      readonly payments: {
        /** The payment provider: PAYMENTS */
        readonly provider: "test" | "stripe"
        /** True while no money moves */
        readonly test_mode: boolean
      }
    }
  }
  /** Replaces each given setting as a whole. The others stay. */
  update_commerce_settings: {
    input: {
      readonly currency?: string | undefined
      readonly shipping_options?: readonly ({
        readonly id: string
        readonly title: string
        readonly description?: string | undefined
        /** In minor units */
        readonly price_amount?: number | undefined
        /** default: the agent's */
        readonly currency?: string | undefined
        readonly carrier?: string | undefined
        readonly min_days?: number | undefined
        readonly max_days?: number | undefined
        /** default: everywhere */
        readonly countries?: readonly string[] | undefined
      })[] | undefined
      readonly pickup_locations?: readonly ({
        readonly id: string
        readonly title: string
        readonly address: {
          readonly name: string
          readonly line_one: string
          readonly line_two?: string | undefined
          readonly city: string
          readonly state: string
          readonly country: string
          readonly postal_code: string
        }
        readonly phone?: string | undefined
        readonly instructions?: string | undefined
      })[] | undefined
      readonly tax?: {
        readonly rates?: readonly ({
          readonly name?: string | undefined
          readonly percent: number
          /** default: everywhere */
          readonly country?: string | undefined
          readonly state?: string | undefined
          /** default: all products */
          readonly tax_code?: string | undefined
        })[] | undefined
        readonly prices_include_tax?: boolean | undefined
        readonly shipping_taxed?: boolean | undefined
      } | undefined
      readonly discount_codes?: readonly ({
        readonly code: string
        readonly name: string
        readonly percent_off?: number | undefined
        /** In minor units */
        readonly amount_off?: number | undefined
        readonly minimum_amount?: number | undefined
        readonly starts_at?: string | undefined
        readonly ends_at?: string | undefined
        readonly combinable?: boolean | undefined
      })[] | undefined
      readonly links?: {
        readonly terms?: string | undefined
        readonly privacy?: string | undefined
        readonly returns?: string | undefined
        readonly shipping?: string | undefined
        readonly contact?: string | undefined
        readonly about?: string | undefined
        readonly faq?: string | undefined
        readonly support?: string | undefined
      } | undefined
      readonly support?: {
        readonly email?: string | undefined
        readonly phone?: string | undefined
        readonly hours?: string | undefined
        readonly help_center_url?: string | undefined
      } | undefined
      /** UUID or app_name_id */
      readonly app_id: string
      /** Refused if the settings have another revision */
      readonly expected_revision?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly currency: string
      readonly shipping_options: readonly ({
        readonly id: string
        readonly title: string
        readonly description: string
        /** In minor units */
        readonly price_amount: number
        /** default: the agent's */
        readonly currency?: string | undefined
        readonly carrier?: string | undefined
        readonly min_days?: number | undefined
        readonly max_days?: number | undefined
        /** default: everywhere */
        readonly countries?: readonly string[] | undefined
      })[]
      readonly pickup_locations: readonly ({
        readonly id: string
        readonly title: string
        readonly address: {
          readonly name: string
          readonly line_one: string
          readonly line_two?: string | undefined
          readonly city: string
          readonly state: string
          readonly country: string
          readonly postal_code: string
        }
        readonly phone?: string | undefined
        readonly instructions?: string | undefined
      })[]
      readonly tax: {
        readonly rates: readonly ({
          readonly name: string
          readonly percent: number
          /** default: everywhere */
          readonly country?: string | undefined
          readonly state?: string | undefined
          /** default: all products */
          readonly tax_code?: string | undefined
        })[]
        readonly prices_include_tax: boolean
        readonly shipping_taxed: boolean
      }
      readonly discount_codes: readonly ({
        readonly code: string
        readonly name: string
        readonly percent_off?: number | undefined
        /** In minor units */
        readonly amount_off?: number | undefined
        readonly minimum_amount: number
        readonly starts_at?: string | undefined
        readonly ends_at?: string | undefined
        readonly combinable: boolean
      })[]
      readonly links: {
        readonly terms?: string | undefined
        readonly privacy?: string | undefined
        readonly returns?: string | undefined
        readonly shipping?: string | undefined
        readonly contact?: string | undefined
        readonly about?: string | undefined
        readonly faq?: string | undefined
        readonly support?: string | undefined
      }
      readonly support: {
        readonly email?: string | undefined
        readonly phone?: string | undefined
        readonly hours?: string | undefined
        readonly help_center_url?: string | undefined
      }
      readonly app_id: string
      /** Other settings have another one */
      readonly revision: string
      readonly payments: {
        /** The payment provider: PAYMENTS */
        readonly provider: "test" | "stripe"
        /** True while no money moves */
        readonly test_mode: boolean
      }
    }
  }
  /** Creates a key that shopping agents use to check out. The key is shown only now. */
  create_acp_key: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly name?: string | undefined
      /** default: never */
      readonly expires_in?: "30d" | "90d" | "1y" | "never" | undefined
      /** A time, instead of expires_in */
      readonly expires_at?: string | undefined
      /** Addresses or networks in CIDR notation; default: any */
      readonly allowed_addresses?: readonly string[] | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly app_id: string | null
      readonly prefix: string
      /** The last four characters of the key */
      readonly last4: string
      readonly created_at: string
      readonly expires_at: string | null
      /** null: any address */
      readonly allowed_addresses: readonly string[] | null
      /** Whether leak scanners can recognise the key */
      readonly has_checksum: boolean
      /** Accurate to the minute */
      readonly last_used_at: string | null
      /** IPv4 address or IPv6 network */
      readonly last_used_address: string | null
      /** The User-Agent of that request */
      readonly last_used_agent: string | null
      readonly revoked_at: string | null
      readonly key: string
    }
  }
  /** Lists the checkout keys of an agent that are not revoked, newest first. */
  list_acp_keys: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly name: string
        readonly app_id: string | null
        readonly prefix: string
        /** The last four characters of the key */
        readonly last4: string
        readonly created_at: string
        readonly expires_at: string | null
        /** null: any address */
        readonly allowed_addresses: readonly string[] | null
        /** Whether leak scanners can recognise the key */
        readonly has_checksum: boolean
        /** Accurate to the minute */
        readonly last_used_at: string | null
        /** IPv4 address or IPv6 network */
        readonly last_used_address: string | null
        /** The User-Agent of that request */
        readonly last_used_agent: string | null
        readonly revoked_at: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Revokes a checkout key. It stops working at once. */
  revoke_acp_key: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly app_id: string | null
      readonly prefix: string
      /** The last four characters of the key */
      readonly last4: string
      readonly created_at: string
      readonly expires_at: string | null
      /** null: any address */
      readonly allowed_addresses: readonly string[] | null
      /** Whether leak scanners can recognise the key */
      readonly has_checksum: boolean
      /** Accurate to the minute */
      readonly last_used_at: string | null
      /** IPv4 address or IPv6 network */
      readonly last_used_address: string | null
      /** The User-Agent of that request */
      readonly last_used_agent: string | null
      readonly revoked_at: string | null
    }
  }
  /** Lists the orders of an agent, newest first. */
  list_orders: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly status?: "confirmed" | "processing" | "shipped" | "completed" | "canceled" | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly app_id: string
        readonly checkout_session_id: string
        readonly order_number: string
        readonly status: "confirmed" | "processing" | "shipped" | "completed" | "canceled"
        /** True when no money moved */
        readonly test: boolean
        readonly currency: string
        /** In minor units */
        readonly total_amount: number
        /** In minor units */
        readonly refunded_amount: number
        readonly buyer_name: string | null
        readonly buyer_email: string | null
        readonly created_at: string
        readonly updated_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Shows an order: items, address, fulfillments and refunds. */
  get_order: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly checkout_session_id: string
      readonly order_number: string
      readonly status: "confirmed" | "processing" | "shipped" | "completed" | "canceled"
      /** True when no money moved */
      readonly test: boolean
      readonly currency: string
      /** In minor units */
      readonly total_amount: number
      /** In minor units */
      readonly refunded_amount: number
      readonly buyer_name: string | null
      readonly buyer_email: string | null
      readonly created_at: string
      readonly updated_at: string
      /** In minor units */
      readonly subtotal_amount: number
      /** In minor units */
      readonly discount_amount: number
      /** In minor units */
      readonly fulfillment_amount: number
      /** In minor units */
      readonly tax_amount: number
      readonly notes: string | null
      readonly ship_to: {
        readonly name: string | null
        /** The address lines */
        readonly lines: readonly string[]
        readonly country: string
        readonly phone: string | null
      } | null
      readonly line_items: readonly ({
        readonly id: string
        readonly product_id: string
        readonly title: string
        /** In minor units */
        readonly unit_amount: number
        readonly quantity: number
        readonly fulfilled: number
        readonly delivery: string | null
      })[]
      readonly fulfillments: readonly ({
        readonly id: string
        readonly type: string
        readonly line_items: readonly {
          readonly id: string
          readonly quantity: number
        }[]
        readonly carrier: string | null
        readonly tracking_number: string | null
        readonly tracking_url: string | null
        readonly created_at: string
      })[]
      readonly refunds: readonly ({
        readonly id: string
        /** In minor units */
        readonly amount: number
        readonly status: string
        readonly reason: string | null
        readonly created_at: string
      })[]
    }
  }
  /** Buys one product with a test payment, as a shopping agent does. Only while payments are in test mode. */
  place_test_order: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** default: the newest one for sale */
      readonly product_id?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly checkout_session_id: string
      readonly order_number: string
      readonly status: "confirmed" | "processing" | "shipped" | "completed" | "canceled"
      /** True when no money moved */
      readonly test: boolean
      readonly currency: string
      /** In minor units */
      readonly total_amount: number
      /** In minor units */
      readonly refunded_amount: number
      readonly buyer_name: string | null
      readonly buyer_email: string | null
      readonly created_at: string
      readonly updated_at: string
      /** In minor units */
      readonly subtotal_amount: number
      /** In minor units */
      readonly discount_amount: number
      /** In minor units */
      readonly fulfillment_amount: number
      /** In minor units */
      readonly tax_amount: number
      readonly notes: string | null
      readonly ship_to: {
        readonly name: string | null
        /** The address lines */
        readonly lines: readonly string[]
        readonly country: string
        readonly phone: string | null
      } | null
      readonly line_items: readonly ({
        readonly id: string
        readonly product_id: string
        readonly title: string
        /** In minor units */
        readonly unit_amount: number
        readonly quantity: number
        readonly fulfilled: number
        readonly delivery: string | null
      })[]
      readonly fulfillments: readonly ({
        readonly id: string
        readonly type: string
        readonly line_items: readonly {
          readonly id: string
          readonly quantity: number
        }[]
        readonly carrier: string | null
        readonly tracking_number: string | null
        readonly tracking_url: string | null
        readonly created_at: string
      })[]
      readonly refunds: readonly ({
        readonly id: string
        /** In minor units */
        readonly amount: number
        readonly status: string
        readonly reason: string | null
        readonly created_at: string
      })[]
    }
  }
  /** Records that items were sent or handed over, and notifies the shopping agent. */
  fulfill_order: {
    input: {
      readonly id: string
      /** default: all that are left */
      readonly line_items?: readonly {
        readonly id: string
        readonly quantity: number
      }[] | undefined
      readonly carrier?: string | undefined
      readonly tracking_number?: string | undefined
      readonly tracking_url?: string | undefined
      /** For a digital delivery */
      readonly access_url?: string | undefined
      readonly license_key?: string | undefined
      readonly description?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly checkout_session_id: string
      readonly order_number: string
      readonly status: "confirmed" | "processing" | "shipped" | "completed" | "canceled"
      /** True when no money moved */
      readonly test: boolean
      readonly currency: string
      /** In minor units */
      readonly total_amount: number
      /** In minor units */
      readonly refunded_amount: number
      readonly buyer_name: string | null
      readonly buyer_email: string | null
      readonly created_at: string
      readonly updated_at: string
      /** In minor units */
      readonly subtotal_amount: number
      /** In minor units */
      readonly discount_amount: number
      /** In minor units */
      readonly fulfillment_amount: number
      /** In minor units */
      readonly tax_amount: number
      readonly notes: string | null
      readonly ship_to: {
        readonly name: string | null
        /** The address lines */
        readonly lines: readonly string[]
        readonly country: string
        readonly phone: string | null
      } | null
      readonly line_items: readonly ({
        readonly id: string
        readonly product_id: string
        readonly title: string
        /** In minor units */
        readonly unit_amount: number
        readonly quantity: number
        readonly fulfilled: number
        readonly delivery: string | null
      })[]
      readonly fulfillments: readonly ({
        readonly id: string
        readonly type: string
        readonly line_items: readonly {
          readonly id: string
          readonly quantity: number
        }[]
        readonly carrier: string | null
        readonly tracking_number: string | null
        readonly tracking_url: string | null
        readonly created_at: string
      })[]
      readonly refunds: readonly ({
        readonly id: string
        /** In minor units */
        readonly amount: number
        readonly status: string
        readonly reason: string | null
        readonly created_at: string
      })[]
    }
  }
  /** Refunds money through the payment provider, by default all that is left. */
  refund_order: {
    input: {
      readonly id: string
      /** In minor units; default: all that is left */
      readonly amount?: number | undefined
      readonly reason?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly checkout_session_id: string
      readonly order_number: string
      readonly status: "confirmed" | "processing" | "shipped" | "completed" | "canceled"
      /** True when no money moved */
      readonly test: boolean
      readonly currency: string
      /** In minor units */
      readonly total_amount: number
      /** In minor units */
      readonly refunded_amount: number
      readonly buyer_name: string | null
      readonly buyer_email: string | null
      readonly created_at: string
      readonly updated_at: string
      /** In minor units */
      readonly subtotal_amount: number
      /** In minor units */
      readonly discount_amount: number
      /** In minor units */
      readonly fulfillment_amount: number
      /** In minor units */
      readonly tax_amount: number
      readonly notes: string | null
      readonly ship_to: {
        readonly name: string | null
        /** The address lines */
        readonly lines: readonly string[]
        readonly country: string
        readonly phone: string | null
      } | null
      readonly line_items: readonly ({
        readonly id: string
        readonly product_id: string
        readonly title: string
        /** In minor units */
        readonly unit_amount: number
        readonly quantity: number
        readonly fulfilled: number
        readonly delivery: string | null
      })[]
      readonly fulfillments: readonly ({
        readonly id: string
        readonly type: string
        readonly line_items: readonly {
          readonly id: string
          readonly quantity: number
        }[]
        readonly carrier: string | null
        readonly tracking_number: string | null
        readonly tracking_url: string | null
        readonly created_at: string
      })[]
      readonly refunds: readonly ({
        readonly id: string
        /** In minor units */
        readonly amount: number
        readonly status: string
        readonly reason: string | null
        readonly created_at: string
      })[]
    }
  }
  /** Cancels an order before anything was sent. Refunds the money and restores the stock. */
  cancel_order: {
    input: {
      readonly id: string
      readonly reason?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly checkout_session_id: string
      readonly order_number: string
      readonly status: "confirmed" | "processing" | "shipped" | "completed" | "canceled"
      /** True when no money moved */
      readonly test: boolean
      readonly currency: string
      /** In minor units */
      readonly total_amount: number
      /** In minor units */
      readonly refunded_amount: number
      readonly buyer_name: string | null
      readonly buyer_email: string | null
      readonly created_at: string
      readonly updated_at: string
      /** In minor units */
      readonly subtotal_amount: number
      /** In minor units */
      readonly discount_amount: number
      /** In minor units */
      readonly fulfillment_amount: number
      /** In minor units */
      readonly tax_amount: number
      readonly notes: string | null
      readonly ship_to: {
        readonly name: string | null
        /** The address lines */
        readonly lines: readonly string[]
        readonly country: string
        readonly phone: string | null
      } | null
      readonly line_items: readonly ({
        readonly id: string
        readonly product_id: string
        readonly title: string
        /** In minor units */
        readonly unit_amount: number
        readonly quantity: number
        readonly fulfilled: number
        readonly delivery: string | null
      })[]
      readonly fulfillments: readonly ({
        readonly id: string
        readonly type: string
        readonly line_items: readonly {
          readonly id: string
          readonly quantity: number
        }[]
        readonly carrier: string | null
        readonly tracking_number: string | null
        readonly tracking_url: string | null
        readonly created_at: string
      })[]
      readonly refunds: readonly ({
        readonly id: string
        /** In minor units */
        readonly amount: number
        readonly status: string
        readonly reason: string | null
        readonly created_at: string
      })[]
    }
  }
  /** Adds an address that is notified of every order. Its signing secret is shown only now. */
  create_webhook_endpoint: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly url: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly url: string
      readonly created_at: string
      readonly secret: string
    }
  }
  /** Lists the addresses that are notified of orders, oldest first. To viewers, parts that may be secret are hidden. */
  list_webhook_endpoints: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly {
        readonly id: string
        readonly app_id: string
        readonly url: string
        readonly created_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Removes an address. Pending events are not delivered. */
  delete_webhook_endpoint: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly url: string
      readonly created_at: string
    }
  }
  /** Lists the events sent to order webhooks and the responses, newest first. */
  list_webhook_deliveries: {
    input: {
      /** UUID or app_name_id */
      readonly app_id: string
      readonly order_id?: string | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly endpoint_id: string
        readonly order_id: string
        readonly event_type: "order_create" | "order_update"
        readonly status: "pending" | "delivered" | "failed"
        readonly attempts: number
        readonly response_status: number | null
        readonly error: string | null
        readonly next_attempt_at: string | null
        readonly created_at: string
        readonly delivered_at: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Sends an event again, unchanged. */
  redeliver_webhook: {
    input: {
      /** The id of a delivery */
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly endpoint_id: string
      readonly order_id: string
      readonly event_type: "order_create" | "order_update"
      readonly status: "pending" | "delivered" | "failed"
      readonly attempts: number
      readonly response_status: number | null
      readonly error: string | null
      readonly next_attempt_at: string | null
      readonly created_at: string
      readonly delivered_at: string | null
    }
  }
  /** Lists the models that the configured providers offer. A model that a provider does not list works too, as <provider>/<name>. */
  list_models: {
    input: {
      /** Only this provider */
      readonly provider?: string | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly {
        /** The value for an agent’s model */
        readonly id: string
        readonly provider: string
        /** What the provider calls it */
        readonly name: string
        /** True for the model of new agents */
        readonly default: boolean
        readonly vision: boolean
        readonly audio: boolean
        readonly tools: boolean
      }[]
      readonly next_cursor: string | null
      /** Providers that could not be asked */
      readonly problems: readonly {
        readonly provider: string
        readonly message: string
      }[]
    }
  }
  /** Sets a workspace's own key or address for a provider; null removes it. A new address forgets the stored key unless one comes with it. */
  set_provider: {
    input: {
      /** A name that list_providers shows, or a new one for a server that speaks the OpenAI format */
      readonly provider: string
      /** Stored encrypted, never shown */
      readonly api_key?: string | null | undefined
      /** Up to and including /v1 */
      readonly base_url?: string | null | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly provider: string
      readonly base_url: string | null
      readonly has_key: boolean
    }
  }
  /** Lists the model providers and how each is reached, without their keys. */
  list_providers: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly provider: string
        readonly set_by: "workspace" | "environment" | null
        readonly base_url: string | null
        readonly has_key: boolean
        /** False for a provider that the workspace added */
        readonly built_in: boolean
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Tests a provider the way a turn would reach it, and explains what is wrong. Give a key or address to test them before they are saved. */
  test_provider: {
    input: {
      readonly provider: string
      /** Null tests the provider’s own address */
      readonly base_url?: string | null | undefined
      readonly api_key?: string | undefined
      /** Called once if the provider does not list it */
      readonly model?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly ok: boolean
      readonly cause: "dns" | "refused" | "unreachable" | "port" | "timeout" | "tls" | "key" | "path" | "model" | "limited" | "provider" | "not_configured" | null
      /** What is wrong, and how to fix it */
      readonly message: string | null
      /** How many it lists */
      readonly models: number | null
      readonly latency_ms: number
    }
  }
  /** Creates a workspace that you own. */
  create_workspace: {
    input: {
      readonly name: string
    }
    output: {
      readonly id: string
      readonly name: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Your role in it */
      readonly role: "owner" | "admin" | "editor" | "viewer"
      /** Whether its owners may do nothing in it without a second factor */
      readonly owners_need_second_factor: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Shows a workspace: its name, its plan and your role in it. */
  get_workspace: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Your role in it */
      readonly role: "owner" | "admin" | "editor" | "viewer"
      /** Whether its owners may do nothing in it without a second factor */
      readonly owners_need_second_factor: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Lists the workspaces that you are a member of, oldest first. */
  list_workspaces: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly name: string
        readonly plan: "free" | "builder" | "studio" | "enterprise"
        /** Your role in it */
        readonly role: "owner" | "admin" | "editor" | "viewer"
        /** Whether its owners may do nothing in it without a second factor */
        readonly owners_need_second_factor: boolean
        readonly created_at: string
        readonly updated_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Renames a workspace. */
  update_workspace: {
    input: {
      readonly name: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Your role in it */
      readonly role: "owner" | "admin" | "editor" | "viewer"
      /** Whether its owners may do nothing in it without a second factor */
      readonly owners_need_second_factor: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Sets whether a workspace requires a second factor of its owners, you included. Owners without one can then do nothing in it until they add one. */
  set_second_factor_requirement: {
    input: {
      readonly required: boolean
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Your role in it */
      readonly role: "owner" | "admin" | "editor" | "viewer"
      /** Whether its owners may do nothing in it without a second factor */
      readonly owners_need_second_factor: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Changes a workspace’s plan, up to the plan of new workspaces. A smaller plan removes nothing that exists. */
  set_plan: {
    input: {
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Your role in it */
      readonly role: "owner" | "admin" | "editor" | "viewer"
      /** Whether its owners may do nothing in it without a second factor */
      readonly owners_need_second_factor: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Deletes a workspace: everything in it stops at once. Its owners can restore it for a limited time. */
  delete_workspace: {
    input: {
      /** The name of the workspace, as confirmation */
      readonly confirm_name: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      readonly deleted_at: string
      /** After that, its data is deleted for good */
      readonly restorable_until: string
    }
  }
  /** Lists the deleted workspaces that you own and can restore. */
  list_deleted_workspaces: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
    }
    output: {
      readonly items: readonly {
        readonly id: string
        readonly name: string
        readonly deleted_at: string
        /** After that, its data is deleted for good */
        readonly restorable_until: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Restores a deleted workspace that you own, with everything in it. */
  restore_workspace: {
    input: {
      readonly id: string
    }
    output: {
      readonly id: string
      readonly name: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Your role in it */
      readonly role: "owner" | "admin" | "editor" | "viewer"
      /** Whether its owners may do nothing in it without a second factor */
      readonly owners_need_second_factor: boolean
      readonly created_at: string
      readonly updated_at: string
    }
  }
  /** Lists the members of a workspace with their roles. */
  list_members: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly user_id: string
        readonly name: string
        readonly email: string
        /** Who knows that the address is theirs; operator: an operator vouched for it */
        readonly email_proof: "mailbox" | "provider" | "operator" | "earlier" | "none"
        /** An operator disabled the account */
        readonly is_disabled: boolean
        readonly role: "owner" | "admin" | "editor" | "viewer"
        readonly joined_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Changes a member’s role from their next request on. Admins can change editors and viewers, owners all members. */
  change_member_role: {
    input: {
      readonly user_id: string
      readonly role: "owner" | "admin" | "editor" | "viewer"
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly user_id: string
      readonly name: string
      readonly email: string
      /** Who knows that the address is theirs; operator: an operator vouched for it */
      readonly email_proof: "mailbox" | "provider" | "operator" | "earlier" | "none"
      /** An operator disabled the account */
      readonly is_disabled: boolean
      readonly role: "owner" | "admin" | "editor" | "viewer"
      readonly joined_at: string
    }
  }
  /** Removes a member from a workspace. Their access ends at once, also that of their keys and apps; the answer lists keys and secrets of chat pages that they know. */
  remove_member: {
    input: {
      readonly user_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly user_id: string
      readonly name: string
      readonly email: string
      /** Who knows that the address is theirs; operator: an operator vouched for it */
      readonly email_proof: "mailbox" | "provider" | "operator" | "earlier" | "none"
      /** An operator disabled the account */
      readonly is_disabled: boolean
      readonly role: "owner" | "admin" | "editor" | "viewer"
      readonly joined_at: string
      /** What they know and still works */
      readonly keys_to_rotate: readonly ({
        readonly id: string
        /** identity and link: secrets of a chat page */
        readonly kind: "chat" | "acp" | "identity" | "link"
        /** Of a secret of a chat page: the agent’s */
        readonly name: string
        /** Null for a secret of a chat page */
        readonly last4: string | null
        readonly workspace_id: string
        readonly app_id: string
        readonly agent_name: string
        readonly app_name_id: string
        /** Who was shown it: of a key, only its creator */
        readonly created_by: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        /** Of a secret of a chat page: when the person was first shown it */
        readonly created_at: string
        /** Accurate to the minute; only of keys */
        readonly last_used_at: string | null
        readonly since: string
        readonly reason: "member_removed" | "member_left" | "role_lost" | "password_reset" | "person_disabled" | "account_claimed"
      })[]
    }
  }
  /** Removes you from a workspace. The last owner must transfer or delete it instead. */
  leave_workspace: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly user_id: string
      readonly name: string
      readonly email: string
      /** Who knows that the address is theirs; operator: an operator vouched for it */
      readonly email_proof: "mailbox" | "provider" | "operator" | "earlier" | "none"
      /** An operator disabled the account */
      readonly is_disabled: boolean
      readonly role: "owner" | "admin" | "editor" | "viewer"
      readonly joined_at: string
    }
  }
  /** Makes another member the owner of a workspace, and you an admin. */
  transfer_workspace: {
    input: {
      readonly user_id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly user_id: string
      readonly name: string
      readonly email: string
      /** Who knows that the address is theirs; operator: an operator vouched for it */
      readonly email_proof: "mailbox" | "provider" | "operator" | "earlier" | "none"
      /** An operator disabled the account */
      readonly is_disabled: boolean
      readonly role: "owner" | "admin" | "editor" | "viewer"
      readonly joined_at: string
    }
  }
  /** Invites a person by mail, or by a link that is shown only now. It works once, within seven days. */
  invite_member: {
    input: {
      /** Only this person can accept it */
      readonly email?: string | undefined
      readonly role: "admin" | "editor" | "viewer"
      /** false shows the link instead of mailing it; default: mailed if mail is set up */
      readonly by_mail?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      /** The only person who can accept it; null: anyone with the link */
      readonly email: string | null
      readonly role: "owner" | "admin" | "editor" | "viewer"
      readonly invited_by: {
        readonly id: string
        readonly name: string
      }
      readonly status: "open" | "expired" | "accepted" | "revoked"
      readonly mail: "none" | "pending" | "sent" | "failed"
      readonly mail_error: string | null
      readonly created_at: string
      readonly expires_at: string
      /** Shown only now; null if it was mailed */
      readonly link: string | null
    }
  }
  /** Lists the pending and expired invitations of a workspace, newest first. */
  list_invitations: {
    input: {
      /** Includes accepted and revoked ones */
      readonly settled?: boolean | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        /** The only person who can accept it; null: anyone with the link */
        readonly email: string | null
        readonly role: "owner" | "admin" | "editor" | "viewer"
        readonly invited_by: {
          readonly id: string
          readonly name: string
        }
        readonly status: "open" | "expired" | "accepted" | "revoked"
        readonly mail: "none" | "pending" | "sent" | "failed"
        readonly mail_error: string | null
        readonly created_at: string
        readonly expires_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Sends an invitation again with a new link that works for seven days. The old link stops working. */
  resend_invitation: {
    input: {
      readonly id: string
      /** false shows the link instead of mailing it; default: mailed if mail is set up */
      readonly by_mail?: boolean | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      /** The only person who can accept it; null: anyone with the link */
      readonly email: string | null
      readonly role: "owner" | "admin" | "editor" | "viewer"
      readonly invited_by: {
        readonly id: string
        readonly name: string
      }
      readonly status: "open" | "expired" | "accepted" | "revoked"
      readonly mail: "none" | "pending" | "sent" | "failed"
      readonly mail_error: string | null
      readonly created_at: string
      readonly expires_at: string
      /** Shown only now; null if it was mailed */
      readonly link: string | null
    }
  }
  /** Revokes an invitation. Its link stops working at once. */
  revoke_invitation: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      /** The only person who can accept it; null: anyone with the link */
      readonly email: string | null
      readonly role: "owner" | "admin" | "editor" | "viewer"
      readonly invited_by: {
        readonly id: string
        readonly name: string
      }
      readonly status: "open" | "expired" | "accepted" | "revoked"
      readonly mail: "none" | "pending" | "sent" | "failed"
      readonly mail_error: string | null
      readonly created_at: string
      readonly expires_at: string
    }
  }
  /** Lists working keys and secrets of chat pages that a former member or editor, or another holder of a member’s account, knows. Replace or keep each. */
  list_keys_to_rotate: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        /** identity and link: secrets of a chat page */
        readonly kind: "chat" | "acp" | "identity" | "link"
        /** Of a secret of a chat page: the agent’s */
        readonly name: string
        /** Null for a secret of a chat page */
        readonly last4: string | null
        readonly workspace_id: string
        readonly app_id: string
        readonly agent_name: string
        readonly app_name_id: string
        /** Who was shown it: of a key, only its creator */
        readonly created_by: {
          readonly id: string
          readonly name: string
          readonly email: string
        }
        /** Of a secret of a chat page: when the person was first shown it */
        readonly created_at: string
        /** Accurate to the minute; only of keys */
        readonly last_used_at: string | null
        readonly since: string
        readonly reason: "member_removed" | "member_left" | "role_lost" | "password_reset" | "person_disabled" | "account_claimed"
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Takes a chat or checkout key off the list of keys to rotate. It keeps working. */
  keep_key: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
    }
  }
  /** Takes a secret of a chat page off the list of keys to rotate, for one person who knows it. It keeps working. */
  keep_page_secret: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly app_id: string
      readonly kind: "identity" | "link"
    }
  }
  /** Lists completed and refused operations of a workspace, newest first, with user, record, and values before and after. */
  list_audit_events: {
    input: {
      /** A person’s id or e-mail */
      readonly actor?: string | undefined
      /** The name of an operation */
      readonly action?: string | undefined
      /** The id of the record acted on */
      readonly target?: string | undefined
      readonly outcome?: "done" | "refused" | undefined
      readonly from?: string | undefined
      readonly to?: string | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly at: string
        readonly actor: {
          readonly id: string
          readonly email: string | null
        } | null
        /** mcp, dashboard or cli; job for the service itself */
        readonly face: string
        /** The key or app that was used */
        readonly via: {
          readonly kind: string
          readonly id: string
          readonly client: string | null
        } | null
        readonly address: string | null
        readonly request_id: string | null
        readonly action: string
        readonly target: string | null
        /** What the target is called; null if it is gone or has no name */
        readonly record: {
          readonly kind: "agent" | "source" | "action" | "tool_server" | "product" | "order" | "chat_key" | "checkout_key" | "developer_key" | "connected_app" | "webhook" | "conversation" | "member" | "invitation" | "workspace"
          readonly id: string
          readonly name: string
          /** app_name_id of its agent */
          readonly agent: string | null
        } | null
        readonly outcome: "done" | "refused"
        readonly before: Readonly<Record<string, unknown>> | null
        readonly after: Readonly<Record<string, unknown>> | null
        readonly detail: Readonly<Record<string, unknown>> | null
        /** What the records are called whose ids are among the values; those that still exist */
        readonly mentions: Readonly<Record<string, {
            readonly kind: "agent" | "source" | "action" | "tool_server" | "product" | "order" | "chat_key" | "checkout_key" | "developer_key" | "connected_app" | "webhook" | "conversation" | "member" | "invitation" | "workspace"
            readonly id: string
            readonly name: string
            /** app_name_id of its agent */
            readonly agent: string | null
          }>>
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Lists the background jobs of a workspace, newest first: reading sources, settling payments, sending webhooks and mail. */
  list_jobs: {
    input: {
      readonly status?: "queued" | "running" | "done" | "failed" | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        /** knowledge.crawl, checkout.settle_charge, … */
        readonly kind: string
        /** The id of the record that it works on */
        readonly target: string | null
        /** What the target is called; null if it is gone or has no name */
        readonly record: {
          readonly kind: "agent" | "source" | "action" | "tool_server" | "product" | "order" | "chat_key" | "checkout_key" | "developer_key" | "connected_app" | "webhook" | "conversation" | "member" | "invitation" | "workspace"
          readonly id: string
          readonly name: string
          /** app_name_id of its agent */
          readonly agent: string | null
        } | null
        /** failed: given up after its last attempt */
        readonly status: "queued" | "running" | "done" | "failed"
        readonly attempts: number
        /** When it is due; null once it runs or has ended */
        readonly next_run_at: string | null
        /** Shown only to operators of the instance */
        readonly last_error: string | null
        readonly created_at: string
        readonly finished_at: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Shows what a workspace uses of each limit of this instance. */
  list_limits: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        /** Its name, in LIMITS if the operator can change it */
        readonly limit: string
        readonly things: string
        readonly per: "person" | "workspace" | "agent"
        readonly used: number
        /** null is unlimited */
        readonly allowed: number | null
        /** Per agent: the one that uses the most */
        readonly app_id: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Shows a workspace's plan and what it allows. */
  get_subscription: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly workspace_id: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
      /** Whether the chat API is available */
      readonly chat_api: boolean
      readonly max_agents: number | null
      readonly max_sources_per_agent: number | null
      readonly max_members: number | null
      readonly mcp_requests_per_minute: number | null
      /** null: no paid subscription */
      readonly payment: {
        readonly status: string
        readonly period_ends_at: string | null
        /** When it ends, if it was canceled */
        readonly ends_at: string | null
      } | null
    }
  }
  /** Shows the credits that a workspace has left and has used this month. null is unlimited. */
  get_credits: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly balance: number | null
      /** Unused included credits of the owner’s other workspaces, usable here too */
      readonly shared: number
      /** Part of it that running answers hold */
      readonly reserved: number
      /** Granted every month */
      readonly included: number | null
      readonly used_this_month: number
      readonly month_ends_at: string
    }
  }
  /** Lists granted and used credits, newest first. */
  list_credit_transactions: {
    input: {
      readonly from?: string | undefined
      /** Before this time */
      readonly to?: string | undefined
      readonly kind?: "turn" | "embedding" | "action" | "summary" | "grant" | "expiry" | "adjustment" | "purchase" | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly kind: "turn" | "embedding" | "action" | "summary" | "grant" | "expiry" | "adjustment" | "purchase"
        /** Negative for use */
        readonly credits: number
        readonly app_id: string | null
        readonly session_id: string | null
        readonly message_id: string | null
        readonly key_id: string | null
        readonly end_user: string | null
        readonly model: string | null
        readonly prompt_tokens: number | null
        readonly completion_tokens: number | null
        /** Of prompt_tokens, those from the provider’s cache */
        readonly cached_tokens: number | null
        readonly note: string | null
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Limits the credits that a workspace, an agent, a chat key or end users may use per day or month, in UTC. null removes the limit. */
  set_credit_cap: {
    input: {
      readonly subject: "workspace" | "agent" | "key" | "end_user"
      /** UUID of the agent or key, or an end user's id; * is each end user. Leave it out for the workspace. */
      readonly subject_id?: string | undefined
      readonly period: "day" | "month"
      readonly credits: number | null
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly subject: "workspace" | "agent" | "key" | "end_user"
      readonly subject_id: string | null
      readonly period: "day" | "month"
      readonly credits: number | null
    }
  }
  /** Lists the credit caps of a workspace. */
  list_credit_caps: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly subject: "workspace" | "agent" | "key" | "end_user"
        readonly subject_id: string | null
        readonly period: "day" | "month"
        readonly credits: number
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Opens a page of the payment provider to buy a plan or a pack of credits. */
  start_checkout: {
    input: {
      /** Give either plan or credits */
      readonly plan?: "free" | "builder" | "studio" | "enterprise" | undefined
      /** The size of the pack */
      readonly credits?: number | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** The page to open in the browser */
      readonly url: string
    }
  }
  /** Opens the payment provider’s pages for cards, receipts, and changing or ending the plan. */
  open_billing_portal: {
    input: {
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      /** The page to open in the browser */
      readonly url: string
    }
  }
  /** Grants a workspace credits that do not expire, or takes some back. Only for operators of this instance. */
  grant_credits: {
    input: {
      readonly to_workspace_id: string
      readonly credits: number
      readonly note?: string | undefined
      /** Calls with the same key are booked once */
      readonly idempotency_key?: string | undefined
    }
    output: {
      /** False if it was already booked */
      readonly booked: boolean
      readonly balance: number | null
    }
  }
  /** Changes the plan of any workspace. Only for operators of this instance. */
  assign_plan: {
    input: {
      readonly to_workspace_id: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
    }
    output: {
      readonly workspace_id: string
      readonly plan: "free" | "builder" | "studio" | "enterprise"
    }
  }
  /** Sets the price of a model in every workspace, in credits. Only for operators of this instance. */
  set_model_price: {
    input: {
      /** <provider>/<model>, <provider>/* or *; action/http or action/mcp for calls */
      readonly model: string
      /** Per million input tokens */
      readonly prompt_credits?: number | undefined
      /** Per million output tokens */
      readonly completion_credits?: number | undefined
      /** Per million input tokens from the provider’s cache. Default: prompt_credits */
      readonly cached_credits?: number | undefined
      /** Per answer or call */
      readonly call_credits?: number | undefined
      /** Removes the price */
      readonly remove?: boolean | undefined
      /** Default: now */
      readonly valid_from?: string | undefined
    }
    output: {
      readonly model: string
      /** Per million tokens; null: the price was removed */
      readonly prompt_credits: number | null
      readonly completion_credits: number | null
      /** null: as prompt_credits */
      readonly cached_credits: number | null
      readonly call_credits: number | null
      readonly valid_from: string
    }
  }
  /** Lists the prices of models, in credits. Only for operators of this instance. */
  list_model_prices: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly model: string
        /** Per million tokens; null: the price was removed */
        readonly prompt_credits: number | null
        readonly completion_credits: number | null
        /** null: as prompt_credits */
        readonly cached_credits: number | null
        readonly call_credits: number | null
        readonly valid_from: string
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Creates an account and its set-up link, which is shown only now. You vouch for the e-mail address: give the link to its owner alone. */
  create_account: {
    input: {
      readonly email: string
      /** The person can change it */
      readonly name?: string | undefined
    }
    output: {
      readonly user_id: string
      readonly email: string
      /** Works once, within a day */
      readonly set_up_link: string
      readonly expires_at: string
    }
  }
  /** Creates a key that lets a program act as you on the MCP server. The key is shown only now. */
  create_developer_key: {
    input: {
      readonly name: string
      /** default: ["*"], all */
      readonly scopes?: readonly ("apps:read" | "apps:write" | "knowledge:read" | "knowledge:write" | "actions:read" | "actions:write" | "analytics:read" | "workspace:read" | "workspace:write" | "billing:read" | "*")[] | undefined
      /** default: never */
      readonly expires_in?: "30d" | "90d" | "1y" | "never" | undefined
      /** A time, instead of expires_in */
      readonly expires_at?: string | undefined
      /** Binds it to these workspaces; default: everywhere you may act */
      readonly workspaces?: readonly string[] | undefined
      /** Binds it to these agents */
      readonly agents?: readonly string[] | undefined
      /** Addresses or networks in CIDR notation; default: any */
      readonly allowed_addresses?: readonly string[] | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      /** Used unless a call names another workspace */
      readonly workspace_id: string
      readonly user_id: string
      /** The user that it acts as */
      readonly user_email: string
      readonly scopes: readonly ("apps:read" | "apps:write" | "knowledge:read" | "knowledge:write" | "actions:read" | "actions:write" | "analytics:read" | "workspace:read" | "workspace:write" | "billing:read" | "*")[]
      readonly prefix: string
      /** The last four characters of the key */
      readonly last4: string
      readonly created_at: string
      readonly expires_at: string | null
      /** What it is bound to; null: wherever its user may act */
      readonly reach: {
        readonly workspaces: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
        readonly agents: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
      } | null
      /** null: any address */
      readonly allowed_addresses: readonly string[] | null
      /** Whether leak scanners can recognise the key */
      readonly has_checksum: boolean
      /** Accurate to the minute */
      readonly last_used_at: string | null
      /** IPv4 address or IPv6 network */
      readonly last_used_address: string | null
      /** The User-Agent of that request */
      readonly last_used_agent: string | null
      readonly deleted_at: string | null
      readonly key: string
    }
  }
  /** Lists your developer keys in a workspace, newest first. Owners and admins see those of all members. */
  list_developer_keys: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly name: string
        /** Used unless a call names another workspace */
        readonly workspace_id: string
        readonly user_id: string
        /** The user that it acts as */
        readonly user_email: string
        readonly scopes: readonly ("apps:read" | "apps:write" | "knowledge:read" | "knowledge:write" | "actions:read" | "actions:write" | "analytics:read" | "workspace:read" | "workspace:write" | "billing:read" | "*")[]
        readonly prefix: string
        /** The last four characters of the key */
        readonly last4: string
        readonly created_at: string
        readonly expires_at: string | null
        /** What it is bound to; null: wherever its user may act */
        readonly reach: {
          readonly workspaces: readonly ({
            readonly id: string
            /** null: deleted, or not visible to you */
            readonly name: string | null
          })[]
          readonly agents: readonly ({
            readonly id: string
            /** null: deleted, or not visible to you */
            readonly name: string | null
          })[]
        } | null
        /** null: any address */
        readonly allowed_addresses: readonly string[] | null
        /** Whether leak scanners can recognise the key */
        readonly has_checksum: boolean
        /** Accurate to the minute */
        readonly last_used_at: string | null
        /** IPv4 address or IPv6 network */
        readonly last_used_address: string | null
        /** The User-Agent of that request */
        readonly last_used_agent: string | null
        readonly deleted_at: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Deletes a developer key. It stops working at once. */
  delete_developer_key: {
    input: {
      readonly id: string
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly id: string
      readonly name: string
      /** Used unless a call names another workspace */
      readonly workspace_id: string
      readonly user_id: string
      /** The user that it acts as */
      readonly user_email: string
      readonly scopes: readonly ("apps:read" | "apps:write" | "knowledge:read" | "knowledge:write" | "actions:read" | "actions:write" | "analytics:read" | "workspace:read" | "workspace:write" | "billing:read" | "*")[]
      readonly prefix: string
      /** The last four characters of the key */
      readonly last4: string
      readonly created_at: string
      readonly expires_at: string | null
      /** What it is bound to; null: wherever its user may act */
      readonly reach: {
        readonly workspaces: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
        readonly agents: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
      } | null
      /** null: any address */
      readonly allowed_addresses: readonly string[] | null
      /** Whether leak scanners can recognise the key */
      readonly has_checksum: boolean
      /** Accurate to the minute */
      readonly last_used_at: string | null
      /** IPv4 address or IPv6 network */
      readonly last_used_address: string | null
      /** The User-Agent of that request */
      readonly last_used_agent: string | null
      readonly deleted_at: string | null
    }
  }
  /** Lists the applications that can act for you, newest first. */
  list_connected_apps: {
    input: {
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly client_id: string
        /** The name that the application gave itself */
        readonly name: string
        /** Where it sent you after you authorized it */
        readonly returns_to: string
        readonly scopes: readonly ("apps:read" | "apps:write" | "knowledge:read" | "knowledge:write" | "actions:read" | "actions:write" | "analytics:read" | "workspace:read" | "workspace:write" | "billing:read" | "*")[]
        /** Used unless a call names another workspace */
        readonly workspace_id: string
        readonly created_at: string
        /** When it must be authorized again, unless it refreshes before then */
        readonly expires_at: string
        /** What it is bound to; null: wherever its user may act */
        readonly reach: {
          readonly workspaces: readonly ({
            readonly id: string
            /** null: deleted, or not visible to you */
            readonly name: string | null
          })[]
          readonly agents: readonly ({
            readonly id: string
            /** null: deleted, or not visible to you */
            readonly name: string | null
          })[]
        } | null
        /** Accurate to the minute */
        readonly last_used_at: string | null
        /** IPv4 address or IPv6 network */
        readonly last_used_address: string | null
        /** The User-Agent of that request */
        readonly last_used_agent: string | null
        readonly revoked_at: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  /** Revokes an application’s access. It ends at once. */
  revoke_connected_app: {
    input: {
      readonly id: string
    }
    output: {
      readonly id: string
      readonly client_id: string
      /** The name that the application gave itself */
      readonly name: string
      /** Where it sent you after you authorized it */
      readonly returns_to: string
      readonly scopes: readonly ("apps:read" | "apps:write" | "knowledge:read" | "knowledge:write" | "actions:read" | "actions:write" | "analytics:read" | "workspace:read" | "workspace:write" | "billing:read" | "*")[]
      /** Used unless a call names another workspace */
      readonly workspace_id: string
      readonly created_at: string
      /** When it must be authorized again, unless it refreshes before then */
      readonly expires_at: string
      /** What it is bound to; null: wherever its user may act */
      readonly reach: {
        readonly workspaces: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
        readonly agents: readonly ({
          readonly id: string
          /** null: deleted, or not visible to you */
          readonly name: string | null
        })[]
      } | null
      /** Accurate to the minute */
      readonly last_used_at: string | null
      /** IPv4 address or IPv6 network */
      readonly last_used_address: string | null
      /** The User-Agent of that request */
      readonly last_used_agent: string | null
      readonly revoked_at: string | null
    }
  }
  /** Lists the keys of a workspace, and the connected apps that start in it, that work but were not used for a number of days. */
  list_unused_credentials: {
    input: {
      readonly days?: number | undefined
      /** At most 100 */
      readonly limit?: number | undefined
      /** A next_cursor */
      readonly cursor?: string | undefined
      /** Another of your workspaces; default: yours */
      readonly workspace_id?: string | undefined
    }
    output: {
      readonly items: readonly ({
        readonly id: string
        readonly kind: "chat_key" | "checkout_key" | "developer_key" | "connected_app"
        readonly name: string
        readonly app_id: string | null
        readonly user_id: string
        /** The user who created or authorized it */
        readonly user_email: string
        readonly created_at: string
        readonly expires_at: string | null
        /** Accurate to the minute */
        readonly last_used_at: string | null
        /** IPv4 address or IPv6 network */
        readonly last_used_address: string | null
        /** The User-Agent of that request */
        readonly last_used_agent: string | null
        /** false: it can act wherever its user may act */
        readonly is_bound: boolean
        /** false: an earlier release created it */
        readonly has_checksum: boolean | null
      })[]
      readonly next_cursor: string | null
    }
  }
}

export type Me = {
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email: string
  }
  readonly workspaces: readonly ({
    readonly id: string
    readonly name: string
    readonly plan: "free" | "builder" | "studio" | "enterprise"
    readonly role: "owner" | "admin" | "editor" | "viewer"
    readonly owners_need_second_factor: boolean
    /** Whether the person may do nothing in it until they add a second factor */
    readonly waits_for_second_factor: boolean
  })[]
  readonly default_workspace_id: string | null
  readonly locale: string | null
  readonly limits: {
    readonly body_bytes: number
    readonly file_bytes: number
    readonly text_bytes: number
    /** Files of a request to the test chat */
    readonly chat_files: number
    readonly chat_file_bytes: number
  }
  /** What the payment provider sells here; nothing where none is configured */
  readonly for_sale: {
    readonly plans: readonly ("free" | "builder" | "studio" | "enterprise")[]
    readonly packs: readonly number[]
  }
  /** Whether a mail server is configured */
  readonly sends_mail: boolean
  /** Whether people can sign in with a password */
  readonly accepts_passwords: boolean
  /** Whether the person may create accounts and set prices */
  readonly is_operator: boolean
  /** Where clients reach the service */
  readonly base_url: string | null
  readonly form_token: string
  readonly version: string
}

export type ChatEvent = {
  readonly type: "start"
  readonly session_id: string
  readonly message_id: string
} | {
  readonly type: "text"
  readonly text: string
} | {
  readonly type: "prompt"
  readonly model: string
  /** How many messages of the request before it begins with */
  readonly kept: number
  /** Those that follow */
  readonly messages: readonly ({
    readonly role: string
    readonly content: string
    readonly images: readonly string[]
    readonly tool_calls: readonly {
      readonly id: string
      readonly name: string
      readonly arguments: string
    }[]
    readonly tool_call_id: string | null
  })[]
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    readonly parameters: Readonly<Record<string, unknown>>
  }[]
  readonly parameters: Readonly<Record<string, unknown>>
} | {
  readonly type: "tool_calls"
  /** All calls so far, and those of earlier answers that this turn changed */
  readonly items: readonly ({
    readonly id: string
    readonly kind: string
    readonly name: string
    readonly title: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly status: "running" | "done" | "failed" | "awaiting_confirmation" | "declined" | "in_doubt"
    readonly http_status: number | null
    readonly error_code: string | null
    readonly error: string | null
    readonly duration_ms: number | null
    readonly response: string | null
  })[]
} | {
  readonly type: "done"
  readonly finish_reason: string
  /** Millionths of a credit; null if the model has no price */
  readonly cost_micros: number | null
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly citations: readonly ({
    readonly source_id: string
    readonly title: string
    readonly url: string | null
    readonly page: number | null
    readonly heading: string
    readonly passage: string
    readonly score: number
    /** The answer cites it as [number] */
    readonly number?: number | undefined
  })[]
  readonly first_token_ms: number | null
  readonly latency_ms: number
} | {
  readonly type: "error"
  readonly error: {
    readonly code: string
    readonly message: string
  }
}

export type ConfirmationWays = {
  readonly password: boolean
  /** A code of an authenticator app, or a recovery code */
  readonly code: boolean
  /** Whether the person has an authenticator app */
  readonly app: boolean
  /** For PublicKeyCredential.parseRequestOptionsFromJSON */
  readonly passkey: Readonly<Record<string, unknown>> | null
  /** Where a person without password and second factor signs in again */
  readonly provider: {
    readonly name: string
    readonly path: string
  } | null
}
