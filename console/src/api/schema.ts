// Generated from the OpenAPI document by `npm run console:types`. Do not edit.

export interface paths {
    "/protocols/questionnaires": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a protocol with its first form
         * @description Creates the protocol, version 1 of its form, and the questions, options and score ranges in one request. A form may have at most 900 KiB as JSON, including the ids of its items. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 409: `request-in-progress`, `form-too-large`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`, `questionnaire-faulty`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `analysis-busy`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["createQuestionnaire"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/questionnaire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a protocol with a form and its score ranges
         * @description Reads a protocol with a form and its score ranges. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getQuestionnaire"];
        /**
         * Revises a protocol and replaces the questions and score ranges of one of its forms
         * @description Send the complete lists. An item with the id of an existing item, or of its original (`copiedFrom`), keeps the id of this item; other items get new ids. A question without `responseType` keeps the type of the existing question with its id, or else with its text, or else at its position. Otherwise its type follows from its options and metadata. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 409: `request-in-progress`, `form-too-large`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`, `questionnaire-faulty`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `analysis-busy`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["updateQuestionnaire"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists protocols, oldest first
         * @description Lists protocols, oldest first. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `view-behind`
         */
        get: operations["listProtocols"];
        put?: never;
        /**
         * Creates a protocol without a form
         * @description Creates a protocol without a form. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 409: `request-in-progress`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["createProtocol"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a protocol
         * @description Reads a protocol. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getProtocol"];
        /**
         * Revises the name and the prompt of a protocol
         * @description Absent fields stay unchanged; `prompt: null` clears the prompt. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 409: `request-in-progress`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["updateProtocol"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates the next version of the form
         * @description Copies the newest form, or the form that `fromFormId` names, with new ids. Each item names its original in `copiedFrom`. The version is a DRAFT. The body may be absent or null. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 409: `request-in-progress`, `form-too-large`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["createFormVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/{formId}/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds a question to a form
         * @description Adds a question to a form. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 409: `request-in-progress`, `too-many-questions`, `form-too-large`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["addQuestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/questions/{questionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Revises a question
         * @description Absent fields stay unchanged; `metadata` is replaced as a whole. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `question-not-found`
         *     - 409: `request-in-progress`, `options-not-taken`, `form-too-large`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["updateQuestion"];
        post?: never;
        /**
         * Deletes a question of a draft, with its options
         * @description The other questions keep their positions. The response shows the form. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `question-not-found`
         *     - 409: `request-in-progress`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-contended`
         */
        delete: operations["deleteQuestion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/questions/{questionId}/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds an option to a question
         * @description Adds an option to a question. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `question-not-found`
         *     - 409: `request-in-progress`, `options-not-taken`, `too-many-options`, `form-too-large`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["addOption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/options/{optionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Revises an option
         * @description Absent fields stay unchanged. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `option-not-found`
         *     - 409: `request-in-progress`, `form-too-large`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["updateOption"];
        post?: never;
        /**
         * Deletes an option of a draft
         * @description The other options keep their positions. The response shows the form. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `option-not-found`
         *     - 409: `request-in-progress`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-contended`
         */
        delete: operations["deleteOption"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/{formId}/questions/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reorders the questions of a form
         * @description Send the ids of all items in their new order. The items get the positions 1 to n. If the order does not change, nothing is recorded. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 409: `request-in-progress`, `form-too-large`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["orderQuestions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/questions/{questionId}/options/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reorders the options of a question
         * @description Send the ids of all items in their new order. The items get the positions 1 to n. If the order does not change, nothing is recorded. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `question-not-found`
         *     - 409: `request-in-progress`, `form-too-large`, `form-published`, `form-retired`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["orderOptions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/{formId}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publishes a form
         * @description A DRAFT without an error becomes PUBLISHED and can never be changed again. Other published versions stay published. For a PUBLISHED form, nothing is recorded. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 409: `request-in-progress`, `form-retired`, `protocol-archived`, `form-faulty`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `analysis-busy`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["publishForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/{formId}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retires a form
         * @description A DRAFT or a PUBLISHED form becomes RETIRED and can never be changed or published again. For a RETIRED form, nothing is recorded. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 409: `request-in-progress`, `protocol-archived`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["retireForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/copies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copies a protocol with one of its forms, into any institution
         * @description The copy is a new protocol whose form is a DRAFT of version 1. Its items have new ids and name their originals in `copiedFrom`. The original does not change, and may be archived. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 409: `request-in-progress`, `form-too-large`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["copyProtocol"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archives a protocol
         * @description Lists omit an archived protocol. It can be read and copied, but not changed until it is restored. For an archived protocol, nothing is recorded. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 409: `request-in-progress`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["archiveProtocol"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restores an archived protocol
         * @description For a protocol that is not archived, nothing is recorded. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 409: `request-in-progress`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["restoreProtocol"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the forms of all protocols that are not archived, oldest first, without their questions
         * @description Lists the forms of all protocols that are not archived, oldest first, without their questions. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `view-behind`, `busy`
         */
        get: operations["listForms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the versions of a protocol's form, newest first, without their questions
         * @description Lists the versions of a protocol's form, newest first, without their questions. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `view-behind`
         */
        get: operations["listFormVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the published form with the highest version
         * @description Reads the published form with the highest version. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `no-published-form`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getCurrentForm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/{formId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a form with its questions, options and score ranges
         * @description Reads a form with its questions, options and score ranges. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getForm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/{formId}/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scores answers to a form
         * @description Records and stores nothing. There is no classification until all required questions, and one that counts if there is any, are answered. Send one entry for each answered question: `optionIds` for a choice, `value` for every other type. Decimals are exact. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`
         */
        post: operations["scoreForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/questionnaires/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scores answers to a questionnaire, and stores neither
         * @description Send a questionnaire as for its analysis, and answers as for a form. An item without an id is named by its JSON pointer. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`
         */
        post: operations["scoreQuestionnaire"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/forms/{formId}/analysis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Analyses the totals that a form can reach, and what is wrong with it
         * @description Analyses the totals that a form can reach, and what is wrong with it. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`, `form-not-found`
         *     - 429: `too-many-requests`, `analysis-busy`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["analyseForm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/questionnaires/analysis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Analyses a questionnaire without storing it
         * @description Send the body with which the questionnaire would be created or replaced. References in it are not checked. An item without an id is named by its JSON pointer. Callers: a user with an approved profile of any type.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `analysis-busy`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`
         */
        post: operations["analyseQuestionnaire"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists institutions, oldest first
         * @description Lists institutions, oldest first. Callers: any signed-in user.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `view-behind`
         */
        get: operations["listInstitutions"];
        put?: never;
        /**
         * Creates an institution, optionally with unities
         * @description Creates an institution, optionally with unities. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 409: `request-in-progress`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["createInstitution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads an institution with its unities
         * @description Reads an institution with its unities. Callers: any signed-in user.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 404: `institution-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getInstitution"];
        /**
         * Revises an institution
         * @description Absent fields stay unchanged; null clears a field. To revise a unity, use its own path. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`
         *     - 409: `request-in-progress`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["updateInstitution"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}/unities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the unities of an institution, oldest first
         * @description Lists the unities of an institution, oldest first. Callers: any signed-in user.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 404: `institution-not-found`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `view-behind`
         */
        get: operations["listUnities"];
        put?: never;
        /**
         * Adds a unity to an institution
         * @description Adds a unity to an institution. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`
         *     - 409: `request-in-progress`, `too-many-unities`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["addUnity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}/unities/{unityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Revises a unity
         * @description Absent fields stay unchanged; null clears a field. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`, `unity-not-found`
         *     - 409: `request-in-progress`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["updateUnity"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/specialties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists specialties, oldest first
         * @description Only administrators see disabled specialties, which a sign-up may have added.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `view-behind`
         */
        get: operations["listSpecialties"];
        put?: never;
        /**
         * Creates a specialty
         * @description The name must be unique, ignoring case and the accents of Latin and Greek letters. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 409: `request-in-progress`, `specialty-name-taken`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["createSpecialty"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/specialties/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a specialty
         * @description Only administrators can read a disabled specialty.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`
         *     - 404: `specialty-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getSpecialty"];
        /**
         * Revises a specialty
         * @description Absent fields stay unchanged; null clears a field. The name must be unique, ignoring case and the accents of Latin and Greek letters. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `specialty-not-found`
         *     - 409: `request-in-progress`, `specialty-name-taken`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        put: operations["updateSpecialty"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the audit trail, which contains all events, oldest or newest first
         * @description `Accept` selects a page of JSON, which is the default, JSON lines, or CloudEvents. JSON lines and CloudEvents end at the latest at the event that records the request. The service closes the connection without the end of the body when the caller loses the right to read it. The request is recorded in the audit trail. Callers: a user with an approved profile of type AUDITOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/profiles/{profileId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the history of a profile: every decision with its actor, time and reason, oldest first
         * @description The request is recorded in the audit trail. Only auditors and administrators see `position`, `sessionId`, `address` and the name of the actor. Callers: the user whose id is `{id}` in the path; a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `profile-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getProfileHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/profiles/{profileId}/history/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exports the history of a profile as a self-contained proof
         * @description With this file and the key of the audit log, an auditor can verify who decided what, when and why, without access to the service. `verifier/` contains the program and the description of the format. The file contains names, registrations and reasons unless the person was erased. The service sends the file while it makes it, without a `Content-Length`. If it cannot finish the file, or the caller loses the right to read it, it closes the connection. The request is recorded in the audit trail. Callers: a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `profile-not-found`
         *     - 409: `evidence-too-large`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`, `log-behind`
         */
        get: operations["getProfileEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the history of a user: every event with its time, actor and reason, oldest first
         * @description The history says what happened, and `asOf` of the resource shows its content after an event. The request is recorded in the audit trail. Callers: the user whose id is `{id}` in the path; a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `user-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getUserHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the history of an institution: every event with its time, actor and reason, oldest first
         * @description The history says what happened, and `asOf` of the resource shows its content after an event. The request is recorded in the audit trail. Callers: a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getInstitutionHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/protocols/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the history of a protocol: every event with its time, actor and reason, oldest first
         * @description The history says what happened, and `asOf` of the resource shows its content after an event. The request is recorded in the audit trail. Callers: a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `protocol-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getProtocolHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists decisions on profiles with current names and reasons, newest first
         * @description `Accept` selects a page of JSON, which is the default, JSON lines, or CSV. Names are present names; the evidence of a profile has the names of the time. In CSV, an apostrophe precedes a text that a spreadsheet could take for a formula, and semicolons, tabs and line ends in texts are spaces. The service closes the connection without the end of JSON lines and CSV when the caller loses the right to read them. The request is recorded in the audit trail. Callers: a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`, `view-behind`
         */
        get: operations["listDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the newest checkpoint of the audit log
         * @description The response is a signed note (C2SP tlog-checkpoint). If witnesses have cosigned a checkpoint in the last minutes, it is the newest that they have cosigned. Callers: a user with an approved profile of type AUDITOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `log-not-signed`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["getLogCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/log/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the key that verifies the checkpoints of the audit log
         * @description The response is one line with a verifier key (C2SP signed-note).
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 404: `log-not-signed`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["getLogKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/log/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists all keys that have signed checkpoints of the audit log, newest first
         * @description Lists all keys that have signed checkpoints of the audit log, newest first. Callers: a user with an approved profile of type AUDITOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["listLogKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/log/tile/entries/{tile}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads entries of the audit log
         * @description The response is an entry bundle (C2SP tlog-tiles). An entry is the canonical JSON of an event with a digest of its payload. The audit trail records that a session reads entries, once per hour. Callers: a user with an approved profile of type AUDITOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `tile-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getLogEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/log/tile/{level}/{tile}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads hashes of the Merkle tree of the audit log
         * @description The response is a tile (C2SP tlog-tiles) with at most 256 hashes of 32 bytes. Callers: a user with an approved profile of type AUDITOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `tile-not-found`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["getLogTile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a doctor who signs in with e-mail and password
         * @description Profiles are ANALYSING, and have the type DOCTOR_GENERALIST by default. The doctor gets a message with a code for setting a new password. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 409: `request-in-progress`, `user-taken`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `too-many-passwords`
         */
        post: operations["createDoctor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a user with its profiles
         * @description The names of institutions and unities can change without a change of the ETag, so If-None-Match never matches a user who is attached to one. Callers: the user whose id is `{id}` in the path; a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `user-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getUser"];
        /**
         * Revises a user
         * @description Absent fields stay unchanged; null or an empty text clears gender, document, birthDate, dialingCode and phone. A new e-mail becomes the contact address and gets a code. The user keeps signing in with the previous address until POST /auth-service/activate redeems the code. Callers: the user whose id is `{id}` in the path; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`, `own-enabling`
         *     - 404: `user-not-found`
         *     - 409: `request-in-progress`, `user-taken`, `last-administrator`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `personal-key-missing`
         */
        put: operations["updateUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/personal-data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erases the personal data of a user
         * @description Deletes the key of the personal fields in the log, ends the sign-in and clears the read models. The history of decisions stays. This cannot be undone. Callers: a user with an approved profile of type ADMINISTRATOR. Requires a sign-in at most 300 seconds ago (RFC 9470).
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`, `insufficient_user_authentication`
         *     - 403: `not-allowed`
         *     - 404: `user-not-found`
         *     - 409: `request-in-progress`, `last-administrator`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `erasure-unfinished`
         */
        delete: operations["erasePersonalData"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/validation/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validates a document for a user
         * @description A document of eleven digits is a CPF; any other document is generic. The faults are `check-digits` (a CPF with wrong check digits), `not-issued` (a CPF of eleven equal digits), `blank` and `taken`. For an invalid or a taken document, the response is still 200 and lists the faults. Callers: any signed-in user.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`
         */
        post: operations["validateDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists users, oldest first
         * @description Lists users, oldest first. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `view-behind`
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/profiles/{profileId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Approves a profile
         * @description Approves a profile that is ANALYSING or REJECTED. For an APPROVED profile, the request approves a name or document that has changed since the approval; otherwise it records only a reason that differs from the recorded one. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`, `own-profile`
         *     - 404: `user-not-found`, `profile-not-found`
         *     - 409: `request-in-progress`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `personal-key-missing`
         */
        patch: operations["approveProfile"];
        trace?: never;
    };
    "/users/{id}/profiles/{profileId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rejects a profile
         * @description Rejects a profile that is ANALYSING or APPROVED. For a REJECTED profile, the request records only a reason that differs from the recorded one. The operator can require a reason (REASONS=required). Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`, `own-profile`
         *     - 404: `user-not-found`, `profile-not-found`
         *     - 409: `request-in-progress`, `last-administrator`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `personal-key-missing`
         */
        patch: operations["rejectProfile"];
        trace?: never;
    };
    "/users/{id}/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds a profile to a user
         * @description The new profile is ANALYSING. Callers: the user whose id is `{id}` in the path; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `user-not-found`
         *     - 409: `request-in-progress`, `too-many-profiles`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `personal-key-missing`
         */
        post: operations["addProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/profiles/{profileId}/resubmit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resubmits the documents of a rejected profile
         * @description The profile becomes ANALYSING. Absent fields stay unchanged. Callers: the user whose id is `{id}` in the path; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `user-not-found`, `profile-not-found`
         *     - 409: `request-in-progress`, `profile-not-rejected`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `personal-key-missing`
         */
        post: operations["resubmitProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/profiles/{profileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a profile
         * @description Reads a profile. Callers: the user whose id is `{id}` in the path; a user with an approved profile of type AUDITOR; a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `user-not-found`, `profile-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists profiles, oldest first; with approvalStatus=ANALYSING, lists the approval queue
         * @description With `asOf`, the response shows the list at that time: the filters, the profiles and the names of their users refer to that time. Persons who were erased since then are shown without personal data. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `busy`, `view-behind`
         */
        get: operations["listProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attaches one or more users to an institution
         * @description Send `userId` for one user, who is returned, or `userIds` for several users, who are returned as `items`. The status is 200 if all users were already attached, and 201 otherwise. If an id is unknown, or a user is erased, no user is attached. If a user is erased while the request runs, `attached` in the 410 response lists the users who were attached. If-Match must contain the ETag of the user. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`
         *     - 409: `request-in-progress`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["attachUsersToInstitution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}/unities/{unityId}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attaches one or more users to a unity and to its institution
         * @description Send `userId` for one user, who is returned, or `userIds` for several users, who are returned as `items`. The status is 200 if all users were already attached, and 201 otherwise. If an id is unknown, or a user is erased, no user is attached. If a user is erased while the request runs, `attached` in the 410 response lists the users who were attached. If-Match must contain the ETag of the user. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`, `unity-not-found`
         *     - 409: `request-in-progress`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["attachUsersToUnity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Detaches a user from an institution and from its unities
         * @description A user who is not attached stays as they are, and nothing is recorded. If-Match must contain the ETag of the user. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`, `user-not-found`
         *     - 409: `request-in-progress`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-contended`
         */
        delete: operations["detachUserFromInstitution"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/institutions/{id}/unities/{unityId}/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Detaches a user from a unity, but not from its institution
         * @description A user who is not attached stays as they are, and nothing is recorded. If-Match must contain the ETag of the user. Callers: a user with an approved profile of type ADMINISTRATOR.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `not-allowed`
         *     - 404: `institution-not-found`, `user-not-found`, `unity-not-found`
         *     - 409: `request-in-progress`
         *     - 410: `user-erased`
         *     - 412: `revision-mismatch`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-contended`
         */
        delete: operations["detachUserFromUnity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in with e-mail and password
         * @description Failed attempts delay further attempts on the same account and from the same address: a 429 response says when to try again. Sign-ins with the right password also have a quota by user, refused sign-ins included. The Idempotency-Key header is ignored, and every sign-in starts a new session.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `sign-in-refused`
         *     - 403: `user-disabled`, `activation-required`, `password-change-required`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `too-many-failures`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-many-passwords`, `too-contended`
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/refresh-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uses a refresh token: returns a new access token and a new refresh token
         * @description For 10 seconds, the used token returns the newest refresh token of its session. After that, using it ends the session, because it may have been stolen.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `refresh-refused`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["refreshToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the sessions of the caller, newest first
         * @description Lists the sessions of the caller, newest first. Callers: any signed-in user.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends a session of the caller
         * @description The tokens of the session are rejected immediately for writes, and within 5 seconds for reads. Callers: the user whose session has the id `{id}` in the path.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 404: `session-not-found`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-contended`
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the public keys of access tokens (RFC 7517)
         * @description Lists the public keys of access tokens (RFC 7517).
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["getPublicKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the public keys of access tokens (RFC 7517)
         * @description Lists the public keys of access tokens (RFC 7517).
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["getPublicKeysOfAuthService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs up: registers the caller as a user who signs in with e-mail and password
         * @description The user is enabled and may sign in immediately. Profiles may have any type; they are ANALYSING and grant no rights until they are approved. The user gets an activation code, which POST /auth-service/activate redeems.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 409: `request-in-progress`, `user-taken`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `too-many-passwords`
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/signup-model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns the schema of a sign-up, and the faults of the given body
         * @description This is a dry run, which stores nothing. It does not reveal whether an e-mail or a document is taken.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`
         */
        post: operations["trySignUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/activation-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends an activation code
         * @description The response is the same if the user does not exist or cannot be reached through this channel. The response names the channel that was used: if users must activate before they sign in, always e-mail.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 429: `too-many-requests`, `too-many-codes`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`
         */
        get: operations["sendActivationCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeems a code: activates the user, or confirms a new phone or e-mail address
         * @description The response is the same for every fault of a code. A user who is already active stays active. The code of a new e-mail address also requires the `password` of the user, who signs in with that address afterwards.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`, `code-refused`
         *     - 403: `current-password-refused`
         *     - 409: `request-in-progress`, `user-taken`, `email-not-pending`
         *     - 412: `revision-mismatch`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 422: `idempotency-key-reused`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `too-many-failures`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`, `too-many-passwords`, `personal-key-missing`
         */
        post: operations["redeemCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/change-phone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a code to the caller's new phone
         * @description The phone changes when POST /auth-service/activate redeems the code with the id of the user. Callers: any signed-in user.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `user-disabled`, `other-user`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `too-many-codes`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`
         */
        post: operations["changePhone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes the password of the caller and ends all of their sessions
         * @description This includes the current session, so the caller must sign in again. A wrong current password delays further attempts, as a failed sign-in does. The Idempotency-Key header is ignored. Callers: any signed-in user.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `token-refused`, `sign-in-required`
         *     - 403: `current-password-refused`, `user-disabled`
         *     - 410: `user-erased`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `too-many-failures`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-many-passwords`, `too-contended`
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/password/reset-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a password reset code by e-mail
         * @description The response is the same if no user signs in with this e-mail address.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`, `too-many-codes`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`
         */
        post: operations["sendResetCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth-service/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeems a reset code: sets a new password and ends all sessions of the user
         * @description The code also proves the e-mail address, which activates the user. The Idempotency-Key header is ignored, because a code can be used only once.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`, `code-refused`
         *     - 410: `user-erased`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-many-passwords`, `too-contended`
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/update-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stores the tokens of a sign-in in cookies, or renews them
         * @description Sets the cookies TOKEN, REFRESH_TOKEN and, if a user id is given, USER_ID. A page of the same origin or of a listed origin of the same site may omit `refresh_token`; the service then uses the cookie REFRESH_TOKEN. If the tokens cannot be stored or renewed, the response is 401 and removes the cookies, unless the request has no wrong token and the cookies belong to an active session.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`, `malformed-json`
         *     - 401: `tokens-refused`
         *     - 403: `cross-site-request`
         *     - 413: `too-large`, `body-too-scattered`
         *     - 415: `unsupported-media-type`
         *     - 429: `too-many-bodies-of-address`, `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-many-bodies`, `too-contended`
         */
        post: operations["updateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs out: ends the session and removes every cookie that may hold a sign-in
         * @description An access token that has expired still ends its session. The response is the same without a token or with a wrong token.
         *
         *     Problems:
         *
         *     - 400: `malformed-request`, `fields-refused`
         *     - 403: `cross-site-request`
         *     - 429: `too-many-requests`
         *     - 500: `internal-error`
         *     - 503: `overloaded`, `store-unavailable`, `too-contended`
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        NewQuestion: {
            questionText: string;
            /** @enum {string} */
            responseType: "TEXT" | "NUMBER" | "DATE" | "DATETIME" | "BOOLEAN" | "SELECT" | "MULTIPLE_SELECT";
            /** @default {} */
            metadata?: components["schemas"]["NewQuestionMetadata"];
            /** @default false */
            required?: boolean;
            /** @default 1 */
            weight?: number;
            /** @description If absent, the place in the list, counted from 1. */
            position?: number;
            /** @default [] */
            options?: components["schemas"]["NewOption"][];
        };
        NewQuestionMetadata: {
            /** @description An ISO date on DATE, an ISO date and time with an offset on DATETIME, and a number on every other type. */
            minValue?: (number | string) | null;
            /** @description An ISO date on DATE, an ISO date and time with an offset on DATETIME, and a number on every other type. */
            maxValue?: (number | string) | null;
            minLength?: number | null;
            maxLength?: number | null;
            dateFormat?: string | null;
            /** @description `true`: a NUMBER refuses fractions. */
            integer?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        NewOption: {
            optionText: string;
            score: number;
            /** @description If absent, the place in the list, counted from 1. */
            position?: number;
        };
        NewScoreRange: {
            minScore: number;
            maxScore: number;
            classification: string;
        };
        CreateQuestionnaireRequest: {
            /** Format: uuid */
            institutionId: string;
            name: string;
            /** @default null */
            prompt?: string | null;
            questions: components["schemas"]["NewQuestion"][];
            scoreRanges: components["schemas"]["NewScoreRange"][];
        };
        ProtocolAndForm: {
            protocol: components["schemas"]["Protocol"];
            form: components["schemas"]["ProtocolForm"];
        };
        Protocol: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            institutionId: string;
            name: string;
            prompt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * @description Present only while the protocol is archived.
             * @constant
             */
            archived?: true;
        };
        ProtocolForm: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            protocolId: string;
            version: number;
            /** @description The id of the original from which this item was copied when its form was created. After a copy of a protocol, the original belongs to another protocol. */
            copiedFrom: string | null;
            status: components["schemas"]["FormStatus"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sorted by ascending position. */
            questions: components["schemas"]["ProtocolQuestion"][];
            /** @description Sorted by ascending minScore. Both ends of a range are inclusive. */
            scoreRanges: components["schemas"]["ScoreRange"][];
        };
        /**
         * @description Only a DRAFT can be changed. It becomes PUBLISHED or RETIRED, and a PUBLISHED form RETIRED.
         * @enum {string}
         */
        FormStatus: "DRAFT" | "PUBLISHED" | "RETIRED";
        ProtocolQuestion: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            protocolFormId: string;
            /** @description The id of the original from which this item was copied when its form was created. After a copy of a protocol, the original belongs to another protocol. */
            copiedFrom: string | null;
            questionText: string;
            /** @enum {string} */
            responseType: "TEXT" | "NUMBER" | "DATE" | "DATETIME" | "BOOLEAN" | "SELECT" | "MULTIPLE_SELECT";
            metadata: components["schemas"]["QuestionMetadata"];
            required: boolean;
            weight: number;
            position: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sorted by ascending position. */
            options: components["schemas"]["ProtocolQuestionOption"][];
        };
        QuestionMetadata: {
            /** @description An ISO date on DATE, an ISO date and time with an offset on DATETIME, and a number on every other type. */
            minValue?: (number | string) | null;
            /** @description An ISO date on DATE, an ISO date and time with an offset on DATETIME, and a number on every other type. */
            maxValue?: (number | string) | null;
            minLength?: number | null;
            maxLength?: number | null;
            dateFormat?: string | null;
        } & {
            [key: string]: unknown;
        };
        ProtocolQuestionOption: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            protocolQuestionId: string;
            /** @description The id of the original from which this item was copied when its form was created. After a copy of a protocol, the original belongs to another protocol. */
            copiedFrom: string | null;
            optionText: string;
            score: number;
            position: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ScoreRange: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            protocolFormId: string;
            /** @description The id of the original from which this item was copied when its form was created. After a copy of a protocol, the original belongs to another protocol. */
            copiedFrom: string | null;
            minScore: number;
            maxScore: number;
            classification: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description Problem details (RFC 9457). Future versions may add members to a problem. */
        Problem: {
            /** Format: uri */
            type: string;
            /** @description What is wrong. */
            title: string;
            status: number;
            /** @description What to do next. */
            detail: string;
            /** @description The id of the request, which is also in X-Request-Id and in the log. */
            instance: string;
            /** @description The stable code of the problem. Clients should use this member to distinguish problems. */
            code: string;
            /** @description All faults of the request, one item for each place. */
            errors?: components["schemas"]["RequestError"][];
            /**
             * @description The request has more faults than `errors` lists. The list ends at 100 items or 64 KiB.
             * @constant
             */
            errorsTruncated?: true;
            /** @description The query parameters of this path. Present if the request has unknown parameters. */
            knownParameters?: string[];
            /** Format: uuid */
            formId?: string;
            /** @description The requested version of the form. */
            version?: number;
            /** Format: uuid */
            questionId?: string;
            /** Format: uuid */
            optionId?: string;
            /** Format: uuid */
            unityId?: string;
            /** Format: uuid */
            userId?: string;
            /** @description The users whom the request attached before a user was erased. */
            attached?: string[];
            /** Format: uuid */
            profileId?: string;
            /**
             * @description The status of the profile.
             * @enum {string}
             */
            approvalStatus?: "ANALYSING" | "APPROVED" | "REJECTED";
            /**
             * @description The type of the question, which takes no options.
             * @enum {string}
             */
            responseType?: "TEXT" | "NUMBER" | "DATE" | "DATETIME" | "BOOLEAN" | "SELECT" | "MULTIPLE_SELECT";
            /** @description The maximum of what was exceeded; of a body, its bytes after decompression. */
            limit?: number;
            /** @description The size that the form would have, in bytes. */
            bytes?: number;
            /** @description The errors of the form, and `totals-undecided`. */
            findings?: components["schemas"]["Finding"][];
            /**
             * Format: uuid
             * @description The id of the user, for requesting a code.
             */
            ownerRef?: string;
            /** @description The callers that the operation allows. */
            allowed?: ("user" | "approved" | "self" | "holder" | "ADMINISTRATOR" | "AUDITOR" | "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE")[];
            /** @description The names of the exhausted policies of RateLimit-Policy. */
            "violated-policies"?: string[];
            /** @description The name of the read model that has not caught up. */
            projection?: string;
            /** @description The seconds for which the next event has waited for the read model. */
            lag?: {
                seconds: number;
            };
        };
        /** @description A fault of the request. Either `pointer` or `parameter` is its place. */
        RequestError: {
            /** @description A JSON pointer into the body (RFC 6901). A pointer above the maximum length is truncated and ends with an ellipsis (…). */
            pointer?: string;
            /** @description The name of a path, query or header parameter. */
            parameter?: string;
            code: components["schemas"]["FieldErrorCode"];
            /** @description The fault in English. It completes a sentence that begins with the field. */
            message: string;
        };
        /**
         * @description The stable code of a fault in a field or a parameter.
         * @enum {string}
         */
        FieldErrorCode: "required" | "one-of" | "excluded" | "invalid-type" | "invalid-value" | "invalid-format" | "too-small" | "too-big" | "too-deep" | "not-finite" | "inexact-number" | "inverted" | "overlap" | "blank" | "control-character" | "lone-surrogate" | "key-not-allowed" | "malformed-json" | "duplicate" | "incomplete" | "not-found" | "mismatch" | "options-not-taken" | "taken" | "reserved" | "common" | "check-digits" | "not-issued" | "impossible" | "in-future" | "not-allowed" | "unknown-parameter" | "unknown-token" | "bad-cursor" | "not-countable";
        Finding: {
            /** @enum {string} */
            code: "form-without-questions" | "required-question-without-options" | "required-question-without-answer" | "total-without-range" | "totals-undecided" | "question-without-answer" | "optional-question-counts" | "equal-texts" | "number-without-bounds" | "range-without-total" | "question-without-effect" | "ranges-missing";
            /**
             * @description A form with an error cannot be published.
             * @enum {string}
             */
            severity: "error" | "warning" | "information";
            message: string;
            questionIds: string[];
            /** @description Null if there is no bound. */
            min?: number | null;
            /** @description Null if there is no bound. */
            max?: number | null;
            /** @description Answers whose score shows the finding. Only the first 20 findings with answers have them. */
            answers?: {
                /** @description An id. In a form that is not stored, a JSON pointer if there is none. */
                questionId: string;
                optionIds?: string[];
                /** @description A number on NUMBER, true or false on BOOLEAN without options, and a text on TEXT, DATE and DATETIME. */
                value?: string | number | boolean;
            }[] | null;
        };
        ReplacingQuestion: {
            questionText: string;
            /** @enum {string} */
            responseType?: "TEXT" | "NUMBER" | "DATE" | "DATETIME" | "BOOLEAN" | "SELECT" | "MULTIPLE_SELECT";
            /** @default {} */
            metadata?: components["schemas"]["QuestionMetadata"];
            /** @default false */
            required?: boolean;
            /** @default 1 */
            weight?: number;
            /** @description If absent, the place in the list, counted from 1. */
            position?: number;
            /** @default [] */
            options?: components["schemas"]["ReplacingOption"][];
            /**
             * Format: uuid
             * @description The id of an item to keep, or of its original. Absent: a new item.
             */
            id?: string;
        };
        ReplacingOption: {
            optionText: string;
            score: number;
            /** @description If absent, the place in the list, counted from 1. */
            position?: number;
            /**
             * Format: uuid
             * @description The id of an item to keep, or of its original. Absent: a new item.
             */
            id?: string;
        };
        ReplacingScoreRange: {
            minScore: number;
            maxScore: number;
            classification: string;
            /**
             * Format: uuid
             * @description The id of an item to keep, or of its original. Absent: a new item.
             */
            id?: string;
        };
        UpdateQuestionnaireRequest: {
            name?: string;
            prompt?: string | null;
            /** Format: uuid */
            formId: string;
            questions: components["schemas"]["ReplacingQuestion"][];
            scoreRanges: components["schemas"]["ReplacingScoreRange"][];
        };
        CreateProtocolRequest: {
            /** Format: uuid */
            institutionId: string;
            name: string;
            /** @default null */
            prompt?: string | null;
        };
        UpdateProtocolRequest: {
            name?: string;
            prompt?: string | null;
        };
        NewFormVersion: {
            /**
             * Format: uuid
             * @description The form to copy. Default: the newest form of the protocol.
             */
            fromFormId?: string;
        };
        CreateFormVersionRequest: components["schemas"]["NewFormVersion"] | null;
        AddQuestionRequest: {
            questionText: string;
            /** @enum {string} */
            responseType?: "TEXT" | "NUMBER" | "DATE" | "DATETIME" | "BOOLEAN" | "SELECT" | "MULTIPLE_SELECT";
            /** @default {} */
            metadata?: components["schemas"]["NewQuestionMetadata"];
            /** @default false */
            required?: boolean;
            /** @default 1 */
            weight?: number;
            /** @description If absent, the item is placed last. An item at this position moves down by one, as do those up to the next gap. */
            position?: number;
        };
        UpdateQuestionRequest: {
            questionText?: string;
            /** @enum {string} */
            responseType?: "TEXT" | "NUMBER" | "DATE" | "DATETIME" | "BOOLEAN" | "SELECT" | "MULTIPLE_SELECT";
            metadata?: components["schemas"]["QuestionMetadata"];
            required?: boolean;
            weight?: number;
            position?: number;
        };
        AddOptionRequest: {
            optionText: string;
            score: number;
            /** @description If absent, the item is placed last. An item at this position moves down by one, as do those up to the next gap. */
            position?: number;
        };
        UpdateOptionRequest: {
            optionText?: string;
            score?: number;
            position?: number;
        };
        OrderQuestionsRequest: {
            /** @description The ids of all items of the list in their new order. */
            ids: string[];
        };
        OrderOptionsRequest: {
            /** @description The ids of all items of the list in their new order. */
            ids: string[];
        };
        /** @default {} */
        StatusChange: {
            /**
             * @description Why it was done. The text is stored in the clear and never erased, so it must name nobody.
             * @default null
             */
            reason?: string | null;
        };
        NewProtocolCopy: {
            /** Format: uuid */
            institutionId: string;
            /** @description Default: the name of the original. */
            name?: string;
            /**
             * Format: uuid
             * @description The form to copy. Default: the newest form of the protocol.
             */
            formId?: string;
        };
        ProtocolPage: {
            items: components["schemas"]["Protocol"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description How many items the list has on all of its pages, if `total=true` asks. */
            total?: number;
        };
        ListedFormPage: {
            /** @description A page may have fewer forms than `limit`, even before the end, because it examines at most 10,000. */
            items: components["schemas"]["ListedForm"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
        };
        ListedForm: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            protocolId: string;
            version: number;
            /** @description The id of the original from which this item was copied when its form was created. After a copy of a protocol, the original belongs to another protocol. */
            copiedFrom: string | null;
            status: components["schemas"]["FormStatus"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            protocol: components["schemas"]["ListedFormProtocol"];
        };
        /** @description The protocol of the form. */
        ListedFormProtocol: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            institutionId: string;
        };
        Questionnaire: {
            protocol: components["schemas"]["Protocol"];
            form: components["schemas"]["ProtocolForm"] | null;
            /** @description Sorted by ascending minScore. Both ends of a range are inclusive. */
            scoreRanges: components["schemas"]["ScoreRange"][];
        };
        ProtocolFormVersionPage: {
            items: components["schemas"]["ProtocolFormVersion"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description How many items the list has on all of its pages, if `total=true` asks. */
            total?: number;
        };
        ProtocolFormVersion: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            protocolId: string;
            version: number;
            /** @description The id of the original from which this item was copied when its form was created. After a copy of a protocol, the original belongs to another protocol. */
            copiedFrom: string | null;
            status: components["schemas"]["FormStatus"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description An entry without options and without a value, and one with an empty text, is no answer. A TEXT needs a visible character. */
        SentAnswer: {
            /** Format: uuid */
            questionId: string;
            /** @description The chosen options of a choice. */
            optionIds?: string[] | null;
            value?: (string | number | boolean) | null;
        };
        ScoreFormRequest: {
            answers: components["schemas"]["SentAnswer"][];
        };
        Score: {
            version: number;
            status: components["schemas"]["FormStatus"];
            /**
             * @description Present only while the protocol is archived.
             * @constant
             */
            archived?: true;
            /** @description The exact sum of the contributions, rounded to a double. */
            total: number;
            /** @description Null if answers are missing, or if no range has the total. */
            classification: string | null;
            /** @description The score range that contains the exact total. */
            range: components["schemas"]["ScoreRange"] | null;
            /** @description Whether every required question is answered. */
            complete: boolean;
            /** @description The required questions without an answer. */
            missing: string[];
            /** @description The smallest and the largest total of the complete sets that contain these answers. */
            possible: {
                /** @description Null if there is no bound. */
                min: number | null;
                /** @description Null if there is no bound. */
                max: number | null;
            };
            /** @description In the order of the form. */
            items: components["schemas"]["ScoredItem"][];
        };
        ScoredItem: {
            /** Format: uuid */
            questionId: string;
            /** @description The weight times what was answered. Null if nothing was answered, or the answer does not count. */
            contribution: number | null;
            weight: number;
            answered: boolean;
            explanation: string;
        };
        NamedAnswer: {
            /** @description An id. In a form that is not stored, a JSON pointer if there is none. */
            questionId: string;
            optionIds?: string[] | null;
            value?: (string | number | boolean) | null;
        };
        ScoreQuestionnaireRequest: {
            questions: components["schemas"]["ReplacingQuestion"][];
            scoreRanges: components["schemas"]["ReplacingScoreRange"][];
            answers: components["schemas"]["NamedAnswer"][];
        };
        NamedScore: {
            version: null;
            status: null;
            /** @description The exact sum of the contributions, rounded to a double. */
            total: number;
            /** @description Null if answers are missing, or if no range has the total. */
            classification: string | null;
            range: components["schemas"]["NamedScoreRange"] | null;
            /** @description Whether every required question is answered. */
            complete: boolean;
            missing: string[];
            /** @description The smallest and the largest total of the complete sets that contain these answers. */
            possible: {
                /** @description Null if there is no bound. */
                min: number | null;
                /** @description Null if there is no bound. */
                max: number | null;
            };
            items: components["schemas"]["NamedScoredItem"][];
        };
        NamedScoreRange: {
            /** @description An id. In a form that is not stored, a JSON pointer if there is none. */
            id: string;
            minScore: number;
            maxScore: number;
            classification: string;
        };
        NamedScoredItem: {
            /** @description An id. In a form that is not stored, a JSON pointer if there is none. */
            questionId: string;
            /** @description The weight times what was answered. Null if nothing was answered, or the answer does not count. */
            contribution: number | null;
            weight: number;
            answered: boolean;
            explanation: string;
        };
        FormAnalysis: {
            /** @description Null for a form that is not stored. */
            formId: string | null;
            /** @description The revision of the protocol, as in the ETag. */
            revision: number | null;
            /** @description Whether there are too many totals to decide. Only what is certain is then found. */
            undecided: boolean;
            totals: {
                /** @description Null if there is no bound. */
                min: number | null;
                /** @description Null if there is no bound. */
                max: number | null;
                /** @description Null if the totals are undecided or continuous, 0 if no set of answers is complete. */
                count: number | null;
                /** @description Null if the totals are undecided, continuous or more than 1,000. */
                values: number[] | null;
                /** @description The totals if they are continuous. Null if they are undecided, or more than 1,000 intervals. */
                intervals: {
                    /** @description Null if there is no bound. */
                    min: number | null;
                    /** @description Null if there is no bound. */
                    max: number | null;
                }[] | null;
            };
            /** @description At most 100: errors first, then in the order of the form. */
            findings: components["schemas"]["Finding"][];
            /** @description Whether the form has more findings. */
            truncated: boolean;
        };
        QuestionnaireContent: {
            questions: components["schemas"]["ReplacingQuestion"][];
            scoreRanges: components["schemas"]["ReplacingScoreRange"][];
        };
        NewUnity: {
            name: string;
            /** @default null */
            address?: string | null;
        };
        CreateInstitutionRequest: {
            name: string;
            /** @default null */
            document?: string | null;
            /** @default null */
            email?: string | null;
            /** @default null */
            phone?: string | null;
            /** @default null */
            address?: string | null;
            /** @default [] */
            unities?: components["schemas"]["NewUnity"][];
        };
        Institution: {
            /** Format: uuid */
            id: string;
            name: string;
            document: string | null;
            email: string | null;
            phone: string | null;
            address: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            unities: components["schemas"]["Unity"][];
        };
        Unity: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            institutionId: string;
            name: string;
            address: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        UpdateInstitutionRequest: {
            name?: string;
            document?: string | null;
            email?: string | null;
            phone?: string | null;
            address?: string | null;
        };
        UpdateUnityRequest: {
            name?: string;
            address?: string | null;
        };
        InstitutionPage: {
            items: components["schemas"]["Institution"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description How many items the list has on all of its pages, if `total=true` asks. */
            total?: number;
        };
        UnityPage: {
            items: components["schemas"]["Unity"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description How many items the list has on all of its pages, if `total=true` asks. */
            total?: number;
        };
        CreateSpecialtyRequest: {
            name: string;
            /** @default null */
            description?: string | null;
            /** @default true */
            enabled?: boolean;
        };
        Specialty: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            enabled: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        UpdateSpecialtyRequest: {
            name?: string;
            description?: string | null;
            enabled?: boolean;
        };
        SpecialtyPage: {
            items: components["schemas"]["Specialty"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description How many items the list has on all of its pages, if `total=true` asks. */
            total?: number;
        };
        AuditEventPage: {
            /** @description A page may have fewer events than `limit`, even before the end, if the filter matches few events. */
            items: components["schemas"]["AuditEvent"][];
            /** @description Pass this value as `after` to get the next page; with `sort=-position`, pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description Pass this value as `after` later to get the events recorded since then. Null with `sort=-position`. */
            position: string | null;
        };
        AuditEvent: {
            position: string;
            stream: string;
            category: string;
            revision: number;
            /** Format: uuid */
            id: string;
            type: string;
            /** Format: date-time */
            at: string;
            actor: components["schemas"]["AuditActor"];
            origin: string | null;
            /** @description The session in which a profile was approved or rejected. */
            sessionId?: string | null;
            /** @description The IPv4 address or the IPv6 /64 network of the decision. Null if the actor was erased. */
            address?: string | null;
            correlationId: string;
            causationId: string;
            schemaVersion: number;
            data: {
                [key: string]: unknown;
            };
            /** @description Present if the clock of the process was more than a minute behind `at`. */
            metadata?: components["schemas"]["AuditEventMetadata"];
        };
        AuditActor: {
            id: string;
            roles: string[];
        };
        AuditEventMetadata: {
            /** Format: date-time */
            clock: string;
        };
        ProfileHistoryPage: {
            items: components["schemas"]["ProfileHistoryStep"][];
            /** @description Pass this value as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        ProfileHistoryStep: {
            type: string;
            /** Format: date-time */
            at: string;
            /** @description The time of the clock of the process, if it was more than a minute behind `at`; else null. */
            clock: string | null;
            actor: components["schemas"]["ProfileHistoryActor"];
            origin: string | null;
            /** @description The session in which a profile was approved or rejected. */
            sessionId?: string | null;
            /** @description The IPv4 address or the IPv6 /64 network of the decision. Null if the actor was erased. */
            address?: string | null;
            reason: string | null;
            revision: number;
            /** @description Only in responses to auditors and administrators. */
            position?: string;
            before: components["schemas"]["UserProfile"] | null;
            after: components["schemas"]["UserProfile"] | null;
        };
        ProfileHistoryActor: {
            id: string;
            roles: string[];
            /** @description The current name. Null if the actor is not a user or was erased. */
            name?: string | null;
        };
        UserProfile: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userId: string;
            /** @enum {string} */
            approvalStatus: "ANALYSING" | "APPROVED" | "REJECTED";
            /** @description The professional registration number. */
            documentDoctor: string | null;
            documentDoctorState: string | null;
            documentDoctorUpdatedAt: string | null;
            specialties: components["schemas"]["UserProfileSpecialty"][];
            /** @enum {string} */
            type: "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR";
            /** @description True while the profile is approved. */
            enabled: boolean;
            /** @description Whether the name or document of the user has changed since the approval. */
            changedSinceApproval: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        UserProfileSpecialty: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userProfileId: string;
            /** Format: uuid */
            specialtyId: string;
            enabled: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ProfileEvidence: {
            /** @constant */
            format: "clinical-protocols-evidence/1";
            subject: components["schemas"]["EvidenceSubject"];
            /** @description The signed note (C2SP tlog-checkpoint) to which all proofs refer. */
            checkpoint: string;
            /** @description All events of the user from revision 0 on, up to `asOf` if given. */
            events: components["schemas"]["ProvenEvent"][];
            /** @description The first event after `asOf`. */
            next: components["schemas"]["ProvenEvent"] | null;
            /** @description The events that contain the names of the users who decided. */
            names: components["schemas"]["ProvenEvent"][];
            /** @description The part that the file cannot prove. Null if `next` is present. */
            unproven: "That no later event of the user is in the log: a tree proves what is in it, not what is not." | null;
        };
        EvidenceSubject: {
            /** Format: uuid */
            userId: string;
            /** Format: uuid */
            profileId: string;
            asOf: string | null;
        };
        ProvenEvent: {
            /** @description The index of the event in the log. */
            index: number;
            /** @description The leaf, which is hashed as canonical JSON (RFC 8785). */
            leaf: {
                [key: string]: unknown;
            };
            /** @description The hashes of the inclusion proof (RFC 9162) in base64. */
            proof: string[];
            /** @description The stored payload. Null if the event does not concern the profile. */
            payload: {
                [key: string]: unknown;
            } | null;
            disclosures: components["schemas"]["Disclosure"][];
        };
        Disclosure: {
            salt: string;
            pointer: string;
            value: unknown;
        };
        HistoryPage: {
            items: components["schemas"]["HistoryStep"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
        };
        HistoryStep: {
            revision: number;
            type: string;
            /** Format: date-time */
            at: string;
            /** @description The time of the clock of the process, if it was more than a minute behind `at`; else null. */
            clock: string | null;
            actor: {
                id: string;
                /** @description The current name. Null if the actor is not a user or was erased, and for users who read their own. */
                name: string | null;
            };
            /** @description The reason that the event records. Null if it has none, and if its person was erased. */
            reason: string | null;
            /**
             * @description Present if the totals of the form were too many to decide, and the publisher accepted that.
             * @constant
             */
            undecided?: true;
        };
        ListedDecisionPage: {
            /** @description A page may have fewer decisions than `limit`, even before the end, if it is filtered by institution. */
            items: components["schemas"]["ListedDecision"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
        };
        ListedDecision: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            type: "UserProfileApproved" | "UserProfileRejected" | "UserProfileDecisionExplained";
            /** @description Null if no reason was given, or if the user of the profile was erased. */
            reason: string | null;
            decidedBy: components["schemas"]["DecisionActor"];
            user: components["schemas"]["DecisionUser"];
            /** Format: uuid */
            profileId: string;
            /** @enum {string} */
            profileType: "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR";
            /** @enum {string} */
            before: "ANALYSING" | "APPROVED" | "REJECTED";
            /** @enum {string} */
            after: "ANALYSING" | "APPROVED" | "REJECTED";
            revision: number;
        };
        /** @description The actor with the current name. The name is null if the actor is not a user or was erased. */
        DecisionActor: {
            id: string;
            name: string | null;
        };
        /** @description The user of the profile with the current name. The name is null if the person was erased. */
        DecisionUser: {
            /** Format: uuid */
            id: string;
            name: string | null;
        };
        LogKeys: {
            items: components["schemas"]["LogKey"][];
        };
        LogKey: {
            /** @description The origin of the log whose checkpoints the key signs. It is the first line of each checkpoint. */
            origin: string;
            /** @description The verifier key (C2SP signed-note). */
            verifierKey: string;
            /** Format: date-time */
            madeAt: string;
            /** @description Whether the service still has the private key and signs with it. */
            signs: boolean;
        };
        NewProfile: {
            /**
             * @default DOCTOR_GENERALIST
             * @enum {string}
             */
            type?: "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR";
            /** @default null */
            documentDoctor?: string | null;
            /** @default null */
            documentDoctorState?: string | null | "";
            /** @default null */
            documentDoctorUpdatedAt?: string | null | "";
            /**
             * @description The ids or names of specialties in the catalogue.
             * @default []
             */
            specialties?: string[];
        };
        InitialCredentials: {
            /** Format: email */
            email: string;
            /** @description Normalized (NFKC) before it is hashed and compared. Must not be easy to guess: not a common password, not a common English or Portuguese word with a few digits, not one repeated character, and neither the e-mail address nor the part before its @. */
            password: string;
            /** @description Accepted but not stored. */
            token?: string | null;
        };
        CreateDoctorRequest: {
            firstName: string;
            lastName: string;
            /** @default null */
            gender?: ("FEMININE" | "MASCULINE") | null | "";
            document: string;
            /** @default null */
            birthDate?: string | null | "";
            /** @default null */
            dialingCode?: string | null | "";
            /** @default null */
            phone?: string | null | "";
            profiles: components["schemas"]["NewProfile"][];
            auth: components["schemas"]["InitialCredentials"];
        };
        /** @description Personal fields are null if they were never given or were erased. */
        User: {
            /** Format: uuid */
            id: string;
            firstName: string | null;
            lastName: string | null;
            gender: ("FEMININE" | "MASCULINE") | null;
            document: string | null;
            birthDate: string | null;
            dialingCode: string | null;
            phone: string | null;
            email: string | null;
            enabled: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            profiles: components["schemas"]["UserProfile"][];
            auth: components["schemas"]["UserAuth"][];
            /** @description Always empty. */
            ratings: unknown[];
            unities: components["schemas"]["UserAttachment"][];
            institutions: components["schemas"]["UserAttachment"][];
        };
        UserAuth: {
            /** @constant */
            type: "USERPASS";
            /** Format: uuid */
            userId: string;
            /** Format: uuid */
            externalAuthId: string;
            email: string | null;
        };
        UserAttachment: {
            /** Format: uuid */
            id: string;
            /** @description The present name; with `asOf`, the name at that time. */
            name: string;
        };
        UpdateUserRequest: {
            /**
             * Format: uuid
             * @description If present, must be the id in the path.
             */
            id?: string;
            firstName?: string;
            lastName?: string;
            /** Format: email */
            email?: string;
            gender?: ("FEMININE" | "MASCULINE") | null | "";
            document?: string | null | "";
            birthDate?: string | null | "";
            dialingCode?: string | null | "";
            phone?: string | null | "";
            enabled?: boolean;
            createdAt?: unknown;
            updatedAt?: unknown;
        };
        ErasePersonalDataRequest: {
            reason?: string;
        };
        ValidateDocumentRequest: {
            document: string;
            /** @description The user whose document this is. The document may already belong to this user. */
            userId?: string | null;
        };
        DocumentValidation: {
            document: string;
            /** @enum {string} */
            kind: "CPF" | "GENERIC";
            valid: boolean;
            /** @description Whether no other user has this document. */
            available: boolean;
            errors: components["schemas"]["DocumentFault"][];
        };
        DocumentFault: {
            code: components["schemas"]["FieldErrorCode"];
            message: string;
        };
        UserPage: {
            items: components["schemas"]["User"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description How many items the list has on all of its pages, if `total=true` asks. */
            total?: number;
        };
        /** @default {} */
        ProfileDecision: {
            /**
             * @description The reason of the decision, which is recorded.
             * @default null
             */
            reason?: string | null;
        };
        /** @default {} */
        ResubmitProfileRequest: {
            documentDoctor?: string | null;
            documentDoctorState?: string | null | "";
            documentDoctorUpdatedAt?: string | null | "";
            /** @description The ids or names of specialties in the catalogue. */
            specialties?: string[];
        };
        ListedUserProfilePage: {
            items: components["schemas"]["ListedUserProfile"][];
            /** @description The cursor of the next page; pass it as `cursor`. Null on the last page. */
            nextCursor: string | null;
            /** @description How many items the list has on all of its pages, if `total=true` asks. */
            total?: number;
        };
        ListedUserProfile: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userId: string;
            /** @enum {string} */
            approvalStatus: "ANALYSING" | "APPROVED" | "REJECTED";
            /** @description The professional registration number. */
            documentDoctor: string | null;
            documentDoctorState: string | null;
            documentDoctorUpdatedAt: string | null;
            specialties: components["schemas"]["UserProfileSpecialty"][];
            /** @enum {string} */
            type: "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR";
            /** @description True while the profile is approved. */
            enabled: boolean;
            /** @description Whether the name or document of the user has changed since the approval. */
            changedSinceApproval: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            user: components["schemas"]["ListedProfileUser"];
        };
        /** @description The user of the profile. The names are null if the person was erased. */
        ListedProfileUser: {
            /** Format: uuid */
            id: string;
            firstName: string | null;
            lastName: string | null;
        };
        AttachUsersRequest: {
            /** Format: uuid */
            userId?: string;
            userIds?: string[];
        };
        Attached: components["schemas"]["User"] | components["schemas"]["AttachedUsers"];
        AttachedUsers: {
            items: components["schemas"]["User"][];
        };
        SignInRequest: {
            /**
             * @default USERPASS
             * @constant
             */
            type?: "USERPASS";
            /**
             * @default WEB
             * @enum {string}
             */
            platform?: "WEB";
            email: string;
            password: string;
        };
        SignIn: {
            /** @description The access token for Authorization: Bearer. It is valid for 15 minutes. */
            token: string;
            /** @description The refresh token. It can be used once, within 7 days. */
            refreshToken: string;
            /** @description A custom token for signing in to Firebase. It is valid for an hour. */
            authToken: string;
            user: components["schemas"]["User"];
        };
        RefreshTokenRequest: {
            refresh_token: string;
        };
        TokenPair: {
            /** @description The access token for Authorization: Bearer. It is valid for 15 minutes. */
            token: string;
            /** @description The refresh token. It can be used once, within 7 days. */
            refreshToken: string;
        };
        Sessions: {
            items: components["schemas"]["Session"][];
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            platform: "WEB";
            appName: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string;
            /**
             * Format: date-time
             * @description When the session ends, unless its refresh token is used before.
             */
            expiresAt: string;
            /** @description Whether this is the session of the request. */
            current: boolean;
        };
        Jwks: {
            keys: components["schemas"]["PublicKey"][];
        };
        PublicKey: {
            kid: string;
            /** @constant */
            kty: "OKP";
            /** @constant */
            crv: "Ed25519";
            x: string;
            /** @constant */
            alg: "EdDSA";
            /** @constant */
            use: "sig";
        };
        ChosenCredentials: {
            /** Format: email */
            email: string;
            /** @description Normalized (NFKC) before it is hashed and compared. Must not be easy to guess: not a common password, not a common English or Portuguese word with a few digits, not one repeated character, and neither the e-mail address nor the part before its @. */
            password: string;
            /**
             * @default USERPASS
             * @constant
             */
            type?: "USERPASS";
        };
        SignUpProfile: {
            /**
             * @default DOCTOR_GENERALIST
             * @enum {string}
             */
            type?: "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR";
            /** @default null */
            documentDoctor?: string | null;
            /** @default null */
            documentDoctorState?: string | null | "";
            /** @default null */
            documentDoctorUpdatedAt?: string | null | "";
            /** @default [] */
            specialties?: components["schemas"]["NamedSpecialty"][];
        };
        NamedSpecialty: {
            /** @description The name of a specialty. Case, the accents of Latin and Greek letters, invisible characters, outer white space and the length of inner white space do not matter. An unknown specialty is added to the catalogue, without outer white space and with runs of white space as one blank, but disabled; a sign-up may add at most 10. */
            description: string;
            /** @description Accepted but not stored. */
            document?: string | null;
        };
        SignUpRequest: {
            /**
             * @description The channel of the first code, EMAIL or SMS. Without a phone and its dialing code, or if users must activate before they sign in, the code is sent by e-mail.
             * @default EMAIL
             */
            notificationProviderType?: string;
            firstName: string;
            lastName: string;
            /** @default null */
            birthDate?: string | null | "";
            /** @default null */
            gender?: ("FEMININE" | "MASCULINE") | null | "";
            /** @default null */
            document?: string | null;
            /** @default null */
            dialingCode?: string | null | "";
            /** @default null */
            phone?: string | null | "";
            /** @constant */
            acceptTerms: true;
            auth: components["schemas"]["ChosenCredentials"];
            /**
             * @description All profiles together may name at most 50 specialties.
             * @default []
             */
            profiles?: components["schemas"]["SignUpProfile"][];
        };
        TrySignUpRequest: {
            [key: string]: unknown;
        };
        SignUpModel: {
            /** @description The JSON Schema of the body of POST /auth-service/signup. */
            model: {
                [key: string]: unknown;
            };
            enumerations: components["schemas"]["SignUpEnumerations"];
            /** @description The enabled specialties of the catalogue, oldest first, at most 1,000. */
            specialties: components["schemas"]["SpecialtyChoice"][];
            /** @description The faults of the given body. They do not reveal whether the e-mail or the document is taken. */
            errors: components["schemas"]["TriedSignUpError"][];
            /**
             * @description The body has more faults than `errors` lists.
             * @constant
             */
            errorsTruncated?: true;
        };
        SignUpEnumerations: {
            genders: ("FEMININE" | "MASCULINE")[];
            profileTypes: ("DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR")[];
            notificationProviderTypes: ("EMAIL" | "SMS")[];
            authTypes: "USERPASS"[];
        };
        SpecialtyChoice: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        TriedSignUpError: {
            pointer: string;
            code: components["schemas"]["FieldErrorCode"];
            message: string;
        };
        ActivationCode: {
            /** Format: uuid */
            ownerRef: string;
            /** @enum {string} */
            channel: "EMAIL" | "SMS";
            /**
             * Format: date-time
             * @description The earliest end of the code, 10 minutes after its request. The code is valid for 10 minutes from the moment when a server accepts its message, and for an hour if none does.
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description When another code can be sent. An earlier request sends nothing.
             */
            resendAfter: string;
        };
        RedeemCodeRequest: {
            /**
             * Format: uuid
             * @description The id of the user.
             */
            ownerRef: string;
            /** @description Six digits, or eight if the code sets a password, of any script. Blanks, invisible characters, dashes and dots do not matter. A code of another form costs no attempt. */
            code: string;
            /** @description The password of the user; required for the code of a new e-mail address. */
            password?: string;
        };
        ChangePhoneRequest: {
            /** @description If present, must be the id of the caller. */
            userId?: string | null;
            dialingCode: string;
            phone: string;
        };
        PhoneChange: {
            /** Format: uuid */
            userId: string;
            /** @constant */
            channel: "SMS";
            /**
             * Format: date-time
             * @description The earliest end of the code, 10 minutes after its request. The code is valid for 10 minutes from the moment when a server accepts its message, and for an hour if none does.
             */
            expiresAt: string;
        };
        ChangePasswordRequest: {
            currentPassword: string;
            /** @description Normalized (NFKC) before it is hashed and compared. Must not be easy to guess: not a common password, not a common English or Portuguese word with a few digits, not one repeated character, and neither the e-mail address nor the part before its @. */
            newPassword: string;
        };
        SendResetCodeRequest: {
            email: string;
        };
        ResetCode: {
            /** @enum {string} */
            channel: "EMAIL" | "SMS";
            /**
             * Format: date-time
             * @description The earliest end of the code, 10 minutes after its request. The code is valid for 10 minutes from the moment when a server accepts its message, and for an hour if none does.
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description When another code can be sent. An earlier request sends nothing.
             */
            resendAfter: string;
        };
        ResetPasswordRequest: {
            email: string;
            /** @description Six digits, or eight if the code sets a password, of any script. Blanks, invisible characters, dashes and dots do not matter. A code of another form costs no attempt. */
            code: string;
            /** @description Normalized (NFKC) before it is hashed and compared. Must not be easy to guess: not a common password, not a common English or Portuguese word with a few digits, not one repeated character, and neither the e-mail address nor the part before its @. */
            newPassword: string;
        };
        PersistTokens: {
            data: components["schemas"]["TokensOfSignIn"];
        };
        TokensOfSignIn: {
            user_id?: string | null;
            token: string;
            refresh_token: string;
        };
        RenewTokens: {
            /** @constant */
            url: "auth-service/refresh-token";
            /** @default {} */
            data?: components["schemas"]["RenewedToken"];
        };
        RenewedToken: {
            /** @description Default: the token in the cookie REFRESH_TOKEN. */
            refresh_token?: string;
        };
        UpdateTokenRequest: components["schemas"]["PersistTokens"] | components["schemas"]["RenewTokens"];
    };
    responses: {
        /**
         * @description `fields-refused`: The request is not valid.
         *     `code-refused`: The code is not valid.
         *     `malformed-json`: The body is not JSON.
         *     `malformed-request`: The request is malformed.
         */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:fields-refused",
                 *       "title": "The request is not valid",
                 *       "status": 400,
                 *       "detail": "Nothing was stored. Correct the faults in `errors` and send the request again.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "fields-refused",
                 *       "errors": [
                 *         {
                 *           "pointer": "/name",
                 *           "code": "required",
                 *           "message": "is required"
                 *         }
                 *       ]
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 400;
                    /** @enum {unknown} */
                    code?: "fields-refused" | "code-refused" | "malformed-json" | "malformed-request";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `sign-in-refused`: Wrong e-mail or password.
         *     `refresh-refused`: The refresh token is not valid.
         *     `token-refused`: The access token is not valid.
         *     `sign-in-required`: Sign-in required.
         *     `insufficient_user_authentication`: The sign-in is too old for this request.
         *     `tokens-refused`: The tokens cannot be stored or renewed.
         */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:sign-in-refused",
                 *       "title": "Wrong e-mail or password",
                 *       "status": 401,
                 *       "detail": "Check both. The response does not reveal which of them is wrong.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "sign-in-refused"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 401;
                    /** @enum {unknown} */
                    code?: "sign-in-refused" | "refresh-refused" | "token-refused" | "sign-in-required" | "insufficient_user_authentication" | "tokens-refused";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `own-profile`: Users cannot decide on their own profiles.
         *     `own-enabling`: Users cannot enable themselves.
         *     `user-disabled`: This user is disabled.
         *     `password-change-required`: The initial password was already used.
         *     `activation-required`: This user is not activated yet.
         *     `current-password-refused`: The current password is wrong.
         *     `other-user`: You can do this only for your own user.
         *     `not-allowed`: You may not do this.
         *     `cross-site-request`: Other sites may not send this request.
         */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:own-profile",
                 *       "title": "Users cannot decide on their own profiles",
                 *       "status": 403,
                 *       "detail": "Ask another administrator.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "own-profile"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 403;
                    /** @enum {unknown} */
                    code?: "own-profile" | "own-enabling" | "user-disabled" | "password-change-required" | "activation-required" | "current-password-refused" | "other-user" | "not-allowed" | "cross-site-request";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `user-taken`: Another user has this e-mail or document.
         *     `profile-not-rejected`: The profile is not rejected.
         *     `email-not-pending`: The contact address has changed.
         *     `last-administrator`: This is the last enabled administrator.
         *     `too-many-profiles`: Too many profiles.
         *     `specialty-name-taken`: Another specialty has this name.
         *     `options-not-taken`: The question takes no options.
         *     `too-many-questions`: Too many questions.
         *     `too-many-options`: Too many options.
         *     `too-many-unities`: Too many unities.
         *     `form-too-large`: The form is too large.
         *     `form-published`: The form is published.
         *     `form-retired`: The form is retired.
         *     `form-faulty`: The form has errors.
         *     `protocol-archived`: The protocol is archived.
         *     `evidence-too-large`: The profile has too many decisions for evidence.
         *     `request-in-progress`: The same request is still in progress.
         */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:user-taken",
                 *       "title": "Another user has this e-mail or document",
                 *       "status": 409,
                 *       "detail": "E-mail addresses are compared without case, and documents by their letters and digits. A value that `errors` lists as reserved becomes free or taken within a minute.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "user-taken"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 409;
                    /** @enum {unknown} */
                    code?: "user-taken" | "profile-not-rejected" | "email-not-pending" | "last-administrator" | "too-many-profiles" | "specialty-name-taken" | "options-not-taken" | "too-many-questions" | "too-many-options" | "too-many-unities" | "form-too-large" | "form-published" | "form-retired" | "form-faulty" | "protocol-archived" | "evidence-too-large" | "request-in-progress";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `too-large`: The request is too large.
         *     `body-too-scattered`: The body arrives in too many chunks.
         */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:too-large",
                 *       "title": "The request is too large",
                 *       "status": 413,
                 *       "detail": "Send a smaller request. `limit` is the maximum size of the body in bytes after decompression. Without `limit`, the events of the request would exceed 1 MiB.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "too-large"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 413;
                    /** @enum {unknown} */
                    code?: "too-large" | "body-too-scattered";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported-media-type`: The media type of the body is not supported. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:unsupported-media-type",
                 *       "title": "The media type of the body is not supported",
                 *       "status": 415,
                 *       "detail": "Send application/json in UTF-8, plain or as gzip, deflate or br.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "unsupported-media-type"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 415;
                    /** @enum {unknown} */
                    code?: "unsupported-media-type";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `questionnaire-faulty`: The questionnaire has errors.
         *     `idempotency-key-reused`: The Idempotency-Key was used for another request.
         */
        UnprocessableContent: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:questionnaire-faulty",
                 *       "title": "The questionnaire has errors",
                 *       "status": 422,
                 *       "detail": "Nothing was stored. Correct the errors in `findings`, or omit `strict` to store a draft with errors. If there is only `totals-undecided`, `undecided=true` stores it, too.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "questionnaire-faulty"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 422;
                    /** @enum {unknown} */
                    code?: "questionnaire-faulty" | "idempotency-key-reused";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `too-many-failures`: Too many failed sign-ins.
         *     `too-many-codes`: Too many codes were requested.
         *     `too-many-requests`: Too many requests.
         *     `analysis-busy`: Too many analyses are waiting.
         *     `too-many-bodies-of-address`: Too many request bodies are arriving from this address.
         */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:too-many-failures",
                 *       "title": "Too many failed sign-ins",
                 *       "status": 429,
                 *       "detail": "Try again after Retry-After seconds. The password was not checked.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "too-many-failures"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 429;
                    /** @enum {unknown} */
                    code?: "too-many-failures" | "too-many-codes" | "too-many-requests" | "analysis-busy" | "too-many-bodies-of-address";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `internal-error`: Internal error. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:internal-error",
                 *       "title": "Internal error",
                 *       "status": 500,
                 *       "detail": "The error was logged with the id in `instance`. You may retry the request with the same Idempotency-Key.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "internal-error"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 500;
                    /** @enum {unknown} */
                    code?: "internal-error";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `overloaded`: The server is overloaded.
         *     `busy`: Too many long reads are waiting.
         *     `store-unavailable`: A store is unavailable.
         *     `personal-key-missing`: The key of this person's data is not in the vault.
         *     `too-contended`: Too many concurrent changes.
         *     `too-many-passwords`: Too many passwords at once.
         *     `erasure-unfinished`: The read models, or files of the stores, still have the person.
         *     `too-many-bodies`: Too many request bodies are arriving.
         *     `log-behind`: The signed log has not caught up.
         *     `view-behind`: The read model has not caught up.
         */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:overloaded",
                 *       "title": "The server is overloaded",
                 *       "status": 503,
                 *       "detail": "Nothing was stored. Retry after Retry-After seconds.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "overloaded"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 503;
                    /** @enum {unknown} */
                    code?: "overloaded" | "busy" | "store-unavailable" | "personal-key-missing" | "too-contended" | "too-many-passwords" | "erasure-unfinished" | "too-many-bodies" | "log-behind" | "view-behind";
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `protocol-not-found`: No such protocol.
         *     `form-not-found`: No such form of this protocol.
         *     `question-not-found`: No such question in this protocol.
         *     `option-not-found`: No such option in this protocol.
         *     `institution-not-found`: No such institution.
         *     `unity-not-found`: No such unity of this institution.
         *     `user-not-found`: No such user.
         *     `profile-not-found`: No such profile of this user.
         *     `specialty-not-found`: No such specialty.
         *     `no-published-form`: The protocol has no published form.
         *     `session-not-found`: You have no such session.
         *     `route-not-found`: No such path.
         *     `log-not-signed`: The audit log is not signed yet.
         *     `tile-not-found`: The signed tree has no such tile.
         */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:protocol-not-found",
                 *       "title": "No such protocol",
                 *       "status": 404,
                 *       "detail": "Check the id. GET /protocols lists all protocols.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "protocol-not-found"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 404;
                    /** @enum {unknown} */
                    code?: "protocol-not-found" | "form-not-found" | "question-not-found" | "option-not-found" | "institution-not-found" | "unity-not-found" | "user-not-found" | "profile-not-found" | "specialty-not-found" | "no-published-form" | "session-not-found" | "route-not-found" | "log-not-signed" | "tile-not-found";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `revision-mismatch`: The resource has changed. */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:revision-mismatch",
                 *       "title": "The resource has changed",
                 *       "status": 412,
                 *       "detail": "Read the resource again and send the change with the new ETag in If-Match.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "revision-mismatch"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 412;
                    /** @enum {unknown} */
                    code?: "revision-mismatch";
                } & components["schemas"]["Problem"];
            };
        };
        /** @description The ETag in If-None-Match is still current. */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `user-erased`: The personal data of this user was erased. */
        Gone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:clinical-protocols:problem:user-erased",
                 *       "title": "The personal data of this user was erased",
                 *       "status": 410,
                 *       "detail": "The user can no longer be changed. If the person comes back, register a new user.",
                 *       "instance": "urn:uuid:018f4c3e-7a12-7d03-9100-2b3c4d5e6f70",
                 *       "code": "user-erased"
                 *     }
                 */
                "application/problem+json": {
                    /** @constant */
                    status?: 410;
                    /** @enum {unknown} */
                    code?: "user-erased";
                } & components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
        "Idempotency-Key": string;
        id: string;
        /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
        "If-Match": string;
        formId: string;
        questionId: string;
        optionId: string;
        /** @description The token from the response to a write. The response is at least as recent as that write. */
        "Consistency-Token": string;
        /** @description An ETag. The response is 304 if the ETag is still current. */
        "If-None-Match": string;
        /** @description The response shows the state at this time. */
        asOf: string;
        unityId: string;
        profileId: string;
        /**
         * @description The index of the tile in groups of three digits. All groups except the last have the prefix `x`. The slashes between the groups may be percent-encoded. The suffix `.p/N` requests only the first N hashes or entries.
         * @example 000.p/1
         */
        tile: string;
        /**
         * @description The level of the tile, from 0.
         * @example 0
         */
        level: string;
        userId: string;
        /** @description The name of the client application, which is stored with the session. */
        "app-name": string;
    };
    requestBodies: never;
    headers: {
        /** @description The revision of the aggregate, or a digest of a page of a list. */
        ETag: string;
        /** @description Send this token with a GET request to get a response that is at least as recent as this one. Every write has one. A read has one if its state comes from the log because the read model is behind. */
        "Consistency-Token": string;
        /** @description The URL of the created resource, or of the next page to open. Questions, options and unities have no URL of their own, so this is the URL of their form or institution. */
        Location: string;
        /** @description The URL of the next page, with rel="next". Absent on the last page. */
        Link: string;
        /** @description The cookies of a sign-in, which no script can read, or the same cookies without a value. */
        "Set-Cookie": string;
        /** @description The name of the file. */
        "Content-Disposition": string;
        /** @description `true` if this is the stored response to an earlier request with the same Idempotency-Key. */
        "Idempotency-Replayed": string;
        /** @description `quota` if a quota prevented the message of this request from being sent. */
        "Message-Withheld": string;
        /** @description For each policy by name: the quota of requests (q) in a window of seconds (w). */
        "RateLimit-Policy": string;
        /** @description For each policy by name: the remaining requests (r), and the seconds until the window ends (t). */
        RateLimit: string;
        /** @description The number of seconds to wait before a retry. */
        "Retry-After": string;
        /** @description The authentication scheme, and the reason why the token was rejected. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createQuestionnaire: {
        parameters: {
            query?: {
                /** @description `true`: refuses a questionnaire whose analysis finds an error, or totals that are too many to decide. Default: `false`. */
                strict?: "true" | "false";
                /** @description `true`: accepts a form whose totals are too many to decide (`totals-undecided`). Default: `false`. */
                undecided?: "true" | "false";
            };
            header?: {
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "institutionId": "018f4c3e-7a10-7cc1-9d5e-0a1b2c3d4e5f",
                 *       "name": "PHQ-2",
                 *       "prompt": "Over the last 2 weeks, how often have you been bothered by the following problems?",
                 *       "questions": [
                 *         {
                 *           "questionText": "Little interest or pleasure in doing things",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 1,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "questionText": "Feeling down, depressed, or hopeless",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 2,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "scoreRanges": [
                 *         {
                 *           "minScore": 0,
                 *           "maxScore": 2,
                 *           "classification": "Negative screen"
                 *         },
                 *         {
                 *           "minScore": 3,
                 *           "maxScore": 6,
                 *           "classification": "Positive screen"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateQuestionnaireRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolAndForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getQuestionnaire: {
        parameters: {
            query?: {
                /** @description The version of the form. Default: the latest version. */
                version?: number;
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Questionnaire"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateQuestionnaire: {
        parameters: {
            query?: {
                /** @description `true`: refuses a questionnaire whose analysis finds an error, or totals that are too many to decide. Default: `false`. */
                strict?: "true" | "false";
                /** @description `true`: accepts a form whose totals are too many to decide (`totals-undecided`). Default: `false`. */
                undecided?: "true" | "false";
            };
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "formId": "018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f",
                 *       "name": "PHQ-2, revised",
                 *       "questions": [
                 *         {
                 *           "questionText": "Little interest or pleasure in doing things",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 1,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "questionText": "Feeling down, depressed, or hopeless",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 2,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "scoreRanges": [
                 *         {
                 *           "minScore": 0,
                 *           "maxScore": 2,
                 *           "classification": "Negative screen"
                 *         },
                 *         {
                 *           "minScore": 3,
                 *           "maxScore": 6,
                 *           "classification": "Positive screen"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateQuestionnaireRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolAndForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProtocols: {
        parameters: {
            query?: {
                institutionId?: string;
                /** @description The beginning of the name; case and the accents of Latin and Greek letters do not matter. */
                name?: string;
                /** @description `true` lists only archived protocols. Default: only protocols that are not archived. */
                archived?: "true" | "false";
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description By creation: ascending, or descending with a minus sign. */
                sort?: "createdAt" | "-createdAt";
                /** @description Whether to count the items of all pages. Refused with more than one filter, and with `asOf`. */
                total?: "true" | "false";
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProtocol: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "institutionId": "018f4c3e-7a10-7cc1-9d5e-0a1b2c3d4e5f",
                 *       "name": "Falls",
                 *       "prompt": "Ask at every admission."
                 *     }
                 */
                "application/json": components["schemas"]["CreateProtocolRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Protocol"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProtocol: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Protocol"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProtocol: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Falls, adults",
                 *       "prompt": null
                 *     }
                 */
                "application/json": components["schemas"]["UpdateProtocolRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Protocol"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createFormVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "fromFormId": "018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f"
                 *     }
                 */
                "application/json": components["schemas"]["CreateFormVersionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addQuestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                formId: components["parameters"]["formId"];
            };
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "questionText": "How many hours did you sleep last night?",
                 *       "metadata": {
                 *         "minValue": 0,
                 *         "maxValue": 24
                 *       },
                 *       "required": false,
                 *       "weight": 1,
                 *       "position": 3
                 *     }
                 */
                "application/json": components["schemas"]["AddQuestionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolQuestion"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateQuestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                questionId: components["parameters"]["questionId"];
            };
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "questionText": "Little interest or pleasure in doing things",
                 *       "required": true,
                 *       "weight": 1,
                 *       "position": 1,
                 *       "metadata": {}
                 *     }
                 */
                "application/json": components["schemas"]["UpdateQuestionRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolQuestion"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteQuestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                questionId: components["parameters"]["questionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addOption: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                questionId: components["parameters"]["questionId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "optionText": "Rather not say",
                 *       "score": 0,
                 *       "position": 5
                 *     }
                 */
                "application/json": components["schemas"]["AddOptionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolQuestionOption"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateOption: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                optionId: components["parameters"]["optionId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "optionText": "Rather not say",
                 *       "score": 0,
                 *       "position": 5
                 *     }
                 */
                "application/json": components["schemas"]["UpdateOptionRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolQuestionOption"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteOption: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                optionId: components["parameters"]["optionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    orderQuestions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                formId: components["parameters"]["formId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "018f4c3e-7a12-7d03-8a00-2b3c4d5e6f70",
                 *         "018f4c3e-7a12-7d03-8a00-2b3c4d5e6f71"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OrderQuestionsRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    orderOptions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                questionId: components["parameters"]["questionId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "018f4c3e-7a12-7d03-8a00-2b3c4d5e6f70",
                 *         "018f4c3e-7a12-7d03-8a00-2b3c4d5e6f71"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OrderOptionsRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    publishForm: {
        parameters: {
            query?: {
                /** @description `true`: accepts a form whose totals are too many to decide (`totals-undecided`). Default: `false`. */
                undecided?: "true" | "false";
            };
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                formId: components["parameters"]["formId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The committee approved the wording."
                 *     }
                 */
                "application/json": components["schemas"]["StatusChange"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retireForm: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                formId: components["parameters"]["formId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The committee approved the wording."
                 *     }
                 */
                "application/json": components["schemas"]["StatusChange"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    copyProtocol: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "institutionId": "018f4c3e-7a10-7cc1-9d5e-0a1b2c3d4e5f",
                 *       "name": "PHQ-2, primary care",
                 *       "formId": "018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f"
                 *     }
                 */
                "application/json": components["schemas"]["NewProtocolCopy"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolAndForm"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    archiveProtocol: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The committee approved the wording."
                 *     }
                 */
                "application/json": components["schemas"]["StatusChange"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Protocol"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    restoreProtocol: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The committee approved the wording."
                 *     }
                 */
                "application/json": components["schemas"]["StatusChange"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Protocol"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listForms: {
        parameters: {
            query?: {
                status?: components["schemas"]["FormStatus"];
                institutionId?: string;
                /** @description The beginning of the name of the protocol; case and accents do not matter. */
                name?: string;
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedFormPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listFormVersions: {
        parameters: {
            query?: {
                status?: components["schemas"]["FormStatus"];
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description By creation: ascending, or descending with a minus sign. */
                sort?: "createdAt" | "-createdAt";
                /** @description Whether to count the items of all pages. Refused with more than one filter, and with `asOf`. */
                total?: "true" | "false";
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolFormVersionPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCurrentForm: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getForm: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
                formId: components["parameters"]["formId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolForm"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    scoreForm: {
        parameters: {
            query?: never;
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
            };
            path: {
                id: components["parameters"]["id"];
                formId: components["parameters"]["formId"];
            };
            cookie?: never;
        };
        /** @description At most 262,144 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "answers": [
                 *         {
                 *           "questionId": "018f4c3e-7a12-7d03-8a00-2b3c4d5e6f70",
                 *           "optionIds": [
                 *             "018f4c3e-7a12-7d03-8b00-2b3c4d5e6f70"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ScoreFormRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Score"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    scoreQuestionnaire: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "questions": [
                 *         {
                 *           "questionText": "Little interest or pleasure in doing things",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 1,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "questionText": "Feeling down, depressed, or hopeless",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 2,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "scoreRanges": [
                 *         {
                 *           "minScore": 0,
                 *           "maxScore": 2,
                 *           "classification": "Negative screen"
                 *         },
                 *         {
                 *           "minScore": 3,
                 *           "maxScore": 6,
                 *           "classification": "Positive screen"
                 *         }
                 *       ],
                 *       "answers": [
                 *         {
                 *           "questionId": "/questions/0",
                 *           "optionIds": [
                 *             "/questions/0/options/1"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ScoreQuestionnaireRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedScore"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    analyseForm: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
                formId: components["parameters"]["formId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormAnalysis"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    analyseQuestionnaire: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "questions": [
                 *         {
                 *           "questionText": "Little interest or pleasure in doing things",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 1,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "questionText": "Feeling down, depressed, or hopeless",
                 *           "responseType": "SELECT",
                 *           "metadata": {},
                 *           "required": true,
                 *           "weight": 1,
                 *           "position": 2,
                 *           "options": [
                 *             {
                 *               "optionText": "Not at all",
                 *               "score": 0,
                 *               "position": 1
                 *             },
                 *             {
                 *               "optionText": "Several days",
                 *               "score": 1,
                 *               "position": 2
                 *             },
                 *             {
                 *               "optionText": "More than half the days",
                 *               "score": 2,
                 *               "position": 3
                 *             },
                 *             {
                 *               "optionText": "Nearly every day",
                 *               "score": 3,
                 *               "position": 4
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "scoreRanges": [
                 *         {
                 *           "minScore": 0,
                 *           "maxScore": 2,
                 *           "classification": "Negative screen"
                 *         },
                 *         {
                 *           "minScore": 3,
                 *           "maxScore": 6,
                 *           "classification": "Positive screen"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["QuestionnaireContent"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormAnalysis"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listInstitutions: {
        parameters: {
            query?: {
                /** @description The beginning of the name; case and the accents of Latin and Greek letters do not matter. */
                name?: string;
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description By creation: ascending, or descending with a minus sign. */
                sort?: "createdAt" | "-createdAt";
                /** @description Whether to count the items of all pages. Refused with more than one filter, and with `asOf`. */
                total?: "true" | "false";
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstitutionPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createInstitution: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Hospital São Lucas",
                 *       "document": "12.345.678/0001-95",
                 *       "email": "contact@hospital.example",
                 *       "phone": "+55 11 4002-8922",
                 *       "address": "Rua das Flores, 100, São Paulo",
                 *       "unities": [
                 *         {
                 *           "name": "Emergency",
                 *           "address": "Ground floor"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateInstitutionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Institution"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInstitution: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Institution"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateInstitution: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 1,048,576 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Hospital São Lucas",
                 *       "document": "12.345.678/0001-95",
                 *       "email": "contact@hospital.example",
                 *       "phone": "+55 11 4002-8922",
                 *       "address": "Rua das Flores, 100, São Paulo"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateInstitutionRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Institution"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUnities: {
        parameters: {
            query?: {
                /** @description The beginning of the name; case and the accents of Latin and Greek letters do not matter. */
                name?: string;
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description By creation: ascending, or descending with a minus sign. */
                sort?: "createdAt" | "-createdAt";
                /** @description Whether to count the items of all pages. Refused with more than one filter, and with `asOf`. */
                total?: "true" | "false";
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnityPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addUnity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Emergency",
                 *       "address": "Ground floor"
                 *     }
                 */
                "application/json": components["schemas"]["NewUnity"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unity"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateUnity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                unityId: components["parameters"]["unityId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Emergency",
                 *       "address": "Ground floor"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateUnityRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unity"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSpecialties: {
        parameters: {
            query?: {
                /** @description The beginning of the name; case and the accents of Latin and Greek letters do not matter. */
                name?: string;
                enabled?: "true" | "false";
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description By creation: ascending, or descending with a minus sign. */
                sort?: "createdAt" | "-createdAt";
                /** @description Whether to count the items of all pages. Refused with more than one filter, and with `asOf`. */
                total?: "true" | "false";
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpecialtyPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSpecialty: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cardiology",
                 *       "description": "The heart and the vessels",
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["CreateSpecialtyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Specialty"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSpecialty: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Specialty"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateSpecialty: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cardiology",
                 *       "description": "The heart and the vessels",
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSpecialtyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Specialty"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                stream?: string;
                category?: string;
                type?: string;
                /** @description The id of a user, `operator` or `anonymous`. */
                actor?: string;
                /** @description Only events recorded at or after this time. The request still reads the log from `after` on. */
                from?: string;
                /** @description Only events recorded before this time. */
                to?: string;
                /** @description The oldest events first, or with a minus sign the newest events first. */
                sort?: "position" | "-position";
                /** @description The `nextCursor` of the previous page, with the same filters. Only with `sort=-position`. */
                cursor?: string;
                /** @description Only events after this position. */
                after?: string;
                /** @description The maximum number of events. Default: 200 for a page of JSON; for the other formats, all events up to the end of the log. */
                limit?: number;
            };
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventPage"];
                    "application/x-ndjson": string;
                    "application/cloudevents-batch+json": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProfileHistory: {
        parameters: {
            query?: {
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
                profileId: components["parameters"]["profileId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileHistoryPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProfileEvidence: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
                profileId: components["parameters"]["profileId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileEvidence"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUserHistory: {
        parameters: {
            query?: {
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInstitutionHistory: {
        parameters: {
            query?: {
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProtocolHistory: {
        parameters: {
            query?: {
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                /** @description Only decisions at or after this time. */
                from?: string;
                /** @description Only decisions before this time. */
                to?: string;
                /** @description The id of a user, `operator` or `anonymous`. */
                decidedBy?: string;
                /** @description The status after the decision. */
                approvalStatus?: "ANALYSING" | "APPROVED" | "REJECTED";
                profileType?: "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR";
                /** @description An institution that the user of the profile is attached to now. */
                institutionId?: string;
                /** @description Whether CSV begins with a byte order mark, which some spreadsheets need to read accents. */
                bom?: "true" | "false";
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description The maximum number of decisions. Default: 50 for a page of JSON; for the other formats, all decisions. */
                limit?: number;
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedDecisionPage"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLogCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLogKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listLogKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogKeys"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLogEntries: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The index of the tile in groups of three digits. All groups except the last have the prefix `x`. The slashes between the groups may be percent-encoded. The suffix `.p/N` requests only the first N hashes or entries.
                 * @example 000.p/1
                 */
                tile: components["parameters"]["tile"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLogTile: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The level of the tile, from 0.
                 * @example 0
                 */
                level: components["parameters"]["level"];
                /**
                 * @description The index of the tile in groups of three digits. All groups except the last have the prefix `x`. The slashes between the groups may be percent-encoded. The suffix `.p/N` requests only the first N hashes or entries.
                 * @example 000.p/1
                 */
                tile: components["parameters"]["tile"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDoctor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "firstName": "Ana",
                 *       "lastName": "Souza",
                 *       "document": "529.982.247-25",
                 *       "birthDate": "1980-02-29",
                 *       "profiles": [
                 *         {
                 *           "documentDoctor": "CRM/SP 123456",
                 *           "documentDoctorUpdatedAt": "2025-12-31",
                 *           "specialties": []
                 *         }
                 *       ],
                 *       "auth": {
                 *         "email": "ana.souza@example.org",
                 *         "password": "correct horse battery staple",
                 *         "token": ""
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateDoctorRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Message-Withheld": components["headers"]["Message-Withheld"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana.souza@example.org",
                 *       "firstName": "Ana Clara",
                 *       "lastName": "Souza",
                 *       "document": "529.982.247-25",
                 *       "birthDate": "1980-02-29",
                 *       "dialingCode": "55",
                 *       "phone": "11 91234-5678",
                 *       "enabled": true,
                 *       "createdAt": "2026-01-05T08:00:00.000Z",
                 *       "updatedAt": "2026-01-05T08:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Message-Withheld": components["headers"]["Message-Withheld"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    erasePersonalData: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Requested by the person"
                 *     }
                 */
                "application/json": components["schemas"]["ErasePersonalDataRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    validateDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "document": "529.982.247-25",
                 *       "userId": "018f4c3e-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["ValidateDocumentRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentValidation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The complete e-mail address. Case does not matter. */
                email?: string;
                /** @description The start of the first and last name. Case and the accents of Latin and Greek letters do not matter. */
                name?: string;
                institutionId?: string;
                unityId?: string;
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description By creation: ascending, or descending with a minus sign. */
                sort?: "createdAt" | "-createdAt";
                /** @description Whether to count the items of all pages. Refused with more than one filter, and with `asOf`. */
                total?: "true" | "false";
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    approveProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                profileId: components["parameters"]["profileId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The registration was checked with the council."
                 *     }
                 */
                "application/json": components["schemas"]["ProfileDecision"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserProfile"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rejectProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                profileId: components["parameters"]["profileId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The registration was checked with the council."
                 *     }
                 */
                "application/json": components["schemas"]["ProfileDecision"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserProfile"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "NURSE",
                 *       "documentDoctor": "COREN/SP 98765",
                 *       "documentDoctorState": "SP",
                 *       "documentDoctorUpdatedAt": "2025-12-31",
                 *       "specialties": []
                 *     }
                 */
                "application/json": components["schemas"]["NewProfile"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserProfile"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resubmitProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                profileId: components["parameters"]["profileId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "documentDoctor": "CRM/SP 123456",
                 *       "documentDoctorUpdatedAt": "2026-01-31"
                 *     }
                 */
                "application/json": components["schemas"]["ResubmitProfileRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserProfile"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProfile: {
        parameters: {
            query?: {
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                id: components["parameters"]["id"];
                profileId: components["parameters"]["profileId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserProfile"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProfiles: {
        parameters: {
            query?: {
                approvalStatus?: "ANALYSING" | "APPROVED" | "REJECTED";
                type?: "DOCTOR_GENERALIST" | "DOCTOR_SPECIALIST" | "NURSE" | "ADMINISTRATOR" | "AUDITOR";
                /** @description Whether the name or document of the user has changed since the approval. */
                changedSinceApproval?: "true" | "false";
                /** @description The maximum number of items. A page ends after 2 MiB, even if it has fewer. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, of the same list with the same sort and filters. */
                cursor?: string;
                /** @description By creation: ascending, or descending with a minus sign. */
                sort?: "createdAt" | "-createdAt";
                /** @description Whether to count the items of all pages. Refused with more than one filter, and with `asOf`. */
                total?: "true" | "false";
                /** @description The response shows the state at this time. */
                asOf?: components["parameters"]["asOf"];
            };
            header?: {
                /** @description The token from the response to a write. The response is at least as recent as that write. */
                "Consistency-Token"?: components["parameters"]["Consistency-Token"];
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedUserProfilePage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    attachUsersToInstitution: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "018f4c3e-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["AttachUsersRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attached"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attached"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    attachUsersToUnity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                unityId: components["parameters"]["unityId"];
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "018f4c3e-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["AttachUsersRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attached"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attached"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    detachUserFromInstitution: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    detachUserFromUnity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
                unityId: components["parameters"]["unityId"];
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The name of the client application, which is stored with the session. */
                "app-name"?: components["parameters"]["app-name"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "USERPASS",
                 *       "platform": "WEB",
                 *       "email": "ana@example.org",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    refreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "ZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZo"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshTokenRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPair"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 if the ETag is still current. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. The response has no body. */
            204: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPublicKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jwks"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPublicKeysOfAuthService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jwks"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "notificationProviderType": "EMAIL",
                 *       "firstName": "Bruno",
                 *       "lastName": "Lima",
                 *       "birthDate": "1985-07-14",
                 *       "dialingCode": "55",
                 *       "phone": "11 91234-5678",
                 *       "acceptTerms": true,
                 *       "gender": "MASCULINE",
                 *       "auth": {
                 *         "email": "bruno.lima@example.org",
                 *         "password": "correct horse battery staple",
                 *         "type": "USERPASS"
                 *       },
                 *       "profiles": [
                 *         {
                 *           "documentDoctor": "CRM/SP 123456",
                 *           "documentDoctorState": "SP",
                 *           "documentDoctorUpdatedAt": "2025-12-31",
                 *           "specialties": [
                 *             {
                 *               "description": "Cardiologia",
                 *               "document": "RQE 4321"
                 *             }
                 *           ],
                 *           "type": "DOCTOR_SPECIALIST"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SignUpRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Message-Withheld": components["headers"]["Message-Withheld"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    trySignUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65,536 bytes after decompression. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "firstName": "Ana",
                 *       "auth": {
                 *         "email": "ana@example.org",
                 *         "password": "password"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TrySignUpRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignUpModel"];
                };
            };
            400: components["responses"]["BadRequest"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendActivationCode: {
        parameters: {
            query: {
                /** @description The id of the user. */
                ownerRef: string;
                channel?: "EMAIL" | "SMS";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivationCode"];
                };
            };
            400: components["responses"]["BadRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redeemCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ownerRef": "018f4c3e-0000-7000-8000-000000000001",
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["RedeemCodeRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Consistency-Token": components["headers"]["Consistency-Token"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changePhone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dialingCode": "55",
                 *       "phone": "11 91234-5678"
                 *     }
                 */
                "application/json": components["schemas"]["ChangePhoneRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneChange"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currentPassword": "correct horse battery staple",
                 *       "newPassword": "another horse, another staple"
                 *     }
                 */
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Success. The response has no body. */
            204: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            410: components["responses"]["Gone"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendResetCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["SendResetCodeRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetCode"];
                };
            };
            400: components["responses"]["BadRequest"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "code": "12345678",
                 *       "newPassword": "another horse, another staple"
                 *     }
                 */
                "application/json": components["schemas"]["ResetPasswordRequest"];
            };
        };
        responses: {
            /** @description Success. The response has no body. */
            204: {
                headers: {
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            410: components["responses"]["Gone"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16,384 bytes after decompression. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "auth-service/refresh-token",
                 *       "data": {
                 *         "refresh_token": "ZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZoZo"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateTokenRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPair"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. The response redirects to `/`. */
            301: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
