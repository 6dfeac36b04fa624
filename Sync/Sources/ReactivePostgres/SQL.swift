// All SQL of the module.
//
//     documents   document │ position                       the last entry's position; its row is the document's lock
//     entries     document, position │ replica, number …    each entry once
//     replicas    document, replica │ last_number           the last number of each replica, also after pruning
//     snapshots   document, position │ content …
//     layout      version                                   of these tables
//
// `append` locks the document's row until it commits. So each document has one writer at a time. Positions have no
// gaps, and a reader that sees an entry sees all entries before it, because they were committed before the lock was
// released.
//
// The notification is a separate transaction after the commit. Inside `append`, it would cost more than the append
// itself: PostgreSQL commits one transaction with notifications at a time in the whole database, and a commit waits for
// the disk. A notification alone waits for nothing. If it is lost, readers find the entries by polling.
//
// The content is `text`, checked to be JSON. So it is returned unchanged, and its size is known without reading it.

/// The statements for one schema.
struct SQL: Sendable {
    /// The codes that the functions raise.
    enum State {
        static let missingNumber = "RX001"
        static let unknownPosition = "RX002"
        static let identityInUse = "RX003"
    }

    /// The version of the tables that this module knows.
    static let layoutVersion = 1

    /// The channel of notifications. Their payload is the document's name.
    static let channel = "reactive"

    /// The maximum sizes of entries and snapshots that the tables accept, in bytes.
    static let largestEntry = 16 << 20
    static let largestSnapshot = 256 << 20

    /// The number of bytes after which a page of entries ends.
    static let pageSize = 16 << 20

    /// The number of entries that one transaction prunes.
    static let pruneBatch = 1000

    /// The schema, as a quoted identifier.
    private let schema: String

    /// The schema, as a quoted string.
    private let schemaText: String

    /// The version of the tables.
    let layout: Statement

    /// The end of a document: $1.
    let end: Statement

    /// The information with which a replica begins, at one moment: the document $1, the replica $2.
    let start: Statement

    /// A page of the document $1 after the position $2, with at most $3 entries. The last column of each row is the
    /// document's end. If there are no entries, there is one row with only the end.
    let entries: Statement

    /// Appends to the document $1 entries of the replica $2 from the number $3, with the versions $4 and contents $5.
    let append: Statement

    /// Notifies the readers of the document $1.
    let notify: Statement

    /// Saves a snapshot of the document $1 at the position $2, with the version $3 and the content $4.
    let save: Statement

    /// Prunes the document $1: at most $3 entries that are older than $2 milliseconds. Returns their number.
    let prune: Statement

    /// Creates the statements for a schema whose name `Options` has checked.
    init(schema name: String) {
        let schema = "\"" + name.replacing("\"", with: "\"\"") + "\""
        self.schema = schema
        schemaText = "'" + name.replacing("'", with: "''") + "'"

        layout = Statement("layout", "SELECT version FROM \(schema).layout")
        end = Statement("end", "SELECT coalesce((SELECT position FROM \(schema).documents WHERE document = $1), 0)")
        start = Statement(
            "start",
            """
            SELECT coalesce(d.position, 0), coalesce(r.last_number, 0), s.position, s.version, s.content
            FROM (SELECT $1::text AS document, $2::uuid AS replica) AS asked
            LEFT JOIN \(schema).documents AS d ON d.document = asked.document
            LEFT JOIN \(schema).replicas AS r ON r.document = asked.document AND r.replica = asked.replica
            LEFT JOIN LATERAL (
                SELECT position, version, content FROM \(schema).snapshots
                WHERE document = asked.document ORDER BY position DESC LIMIT 1
            ) AS s ON true
            """)
        entries = Statement(
            "entries",
            """
            SELECT e.position, e.replica, e.number, e.version, e.content, d.position
            FROM (
                SELECT coalesce((SELECT position FROM \(schema).documents WHERE document = $1), 0) AS position
            ) AS d
            LEFT JOIN LATERAL (
                SELECT * FROM (
                    SELECT position, replica, number, version, content,
                        sum(octet_length(content)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING)
                            - octet_length(content) AS bytes_before
                    FROM \(schema).entries WHERE document = $1 AND position > $2 ORDER BY position LIMIT $3
                ) AS tail
                WHERE bytes_before < \(Self.pageSize)
            ) AS e ON true
            ORDER BY e.position
            """)
        append = Statement("append", "SELECT \(schema).append($1, $2, $3, $4, $5)")
        notify = Statement("notify", "SELECT pg_notify('\(Self.channel)', $1)")
        save = Statement("save", "SELECT \(schema).save($1, $2, $3, $4)")
        prune = Statement("prune", "SELECT \(schema).prune($1, $2 * interval '1 millisecond', $3)")
    }

    // MARK: Sessions

    /// Returns the settings that a log requires for its sessions. They override the defaults of the role.
    func session(lockTimeout: Duration) -> Statement {
        Statement(
            script: """
                SET standard_conforming_strings = on;
                SET default_transaction_isolation = 'read committed';
                SET lock_timeout = \(min(max(1, lockTimeout.milliseconds), Int(Int32.max)));
                SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off';
                """)
    }

    /// Subscribes to notifications.
    let listen = Statement(script: "LISTEN \(channel)")

    // MARK: Tables

    /// The script that creates the tables if they do not exist. Several processes may run it at the same time, each in
    /// one transaction.
    var tables: String {
        """
        SELECT pg_advisory_xact_lock(hashtextextended('reactive.tables.' || \(schemaText), 0));

        DO $reactive$ BEGIN
            IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = \(schemaText)) THEN
                CREATE SCHEMA \(schema);
            END IF;
        END $reactive$;

        CREATE TABLE IF NOT EXISTS \(schema).documents (
            document text COLLATE "C" PRIMARY KEY CHECK (octet_length(document) BETWEEN 1 AND 200),
            position bigint NOT NULL CHECK (position >= 0)
        ) WITH (fillfactor = 50);

        CREATE TABLE IF NOT EXISTS \(schema).entries (
            document text COLLATE "C" NOT NULL,
            position bigint NOT NULL CHECK (position > 0),
            replica uuid NOT NULL,
            number bigint NOT NULL CHECK (number > 0),
            version bigint NOT NULL,
            content text NOT NULL
                CONSTRAINT content_is_small CHECK (octet_length(content) <= \(Self.largestEntry))
                CONSTRAINT content_is_json CHECK (content::json IS NOT NULL),
            created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (document, position),
            UNIQUE (document, replica, number)
        );

        CREATE TABLE IF NOT EXISTS \(schema).replicas (
            document text COLLATE "C" NOT NULL,
            replica uuid NOT NULL,
            last_number bigint NOT NULL CHECK (last_number > 0),
            PRIMARY KEY (document, replica)
        ) WITH (fillfactor = 50);

        CREATE TABLE IF NOT EXISTS \(schema).snapshots (
            document text COLLATE "C" NOT NULL,
            position bigint NOT NULL CHECK (position >= 0),
            version bigint NOT NULL,
            content text NOT NULL
                CONSTRAINT content_is_small CHECK (octet_length(content) <= \(Self.largestSnapshot))
                CONSTRAINT content_is_json CHECK (content::json IS NOT NULL),
            created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (document, position)
        );

        CREATE OR REPLACE FUNCTION \(schema).append(
            in_document text, in_replica uuid, in_first bigint, in_versions bigint[], in_contents text[]
        ) RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $reactive$
        DECLARE
            last_position bigint;
            last_number bigint;
            new_number bigint := in_first + cardinality(in_contents) - 1;
        BEGIN
            -- One writer for each document at a time, until the transaction ends.
            SELECT d.position INTO last_position FROM \(schema).documents AS d
            WHERE d.document = in_document FOR NO KEY UPDATE;
            IF NOT FOUND THEN
                INSERT INTO \(schema).documents (document, position) VALUES (in_document, 0) ON CONFLICT DO NOTHING;
                SELECT d.position INTO STRICT last_position FROM \(schema).documents AS d
                WHERE d.document = in_document FOR NO KEY UPDATE;
            END IF;

            SELECT r.last_number INTO last_number FROM \(schema).replicas AS r
            WHERE r.document = in_document AND r.replica = in_replica;
            last_number := coalesce(last_number, 0);
            IF in_first > last_number + 1 THEN
                RAISE EXCEPTION 'the log has the entries of the replica up to number %, and cannot append number %',
                    last_number, in_first USING ERRCODE = '\(State.missingNumber)';
            END IF;
            IF in_first <= last_number AND EXISTS (
                SELECT FROM unnest(in_contents) WITH ORDINALITY AS sent (content, ordinal)
                JOIN \(schema).entries AS e ON e.document = in_document AND e.replica = in_replica
                    AND e.number = in_first + sent.ordinal - 1
                WHERE e.content <> sent.content
            ) THEN
                RAISE EXCEPTION 'the log has different entries of the replica' USING ERRCODE = '\(State.identityInUse)';
            END IF;
            IF new_number <= last_number THEN
                RETURN last_position;  -- all are there already
            END IF;

            INSERT INTO \(schema).entries (document, position, replica, number, version, content)
            SELECT in_document, last_position + e.ordinal - (last_number - in_first + 1), in_replica,
                in_first + e.ordinal - 1, e.version, e.content
            FROM unnest(in_versions, in_contents) WITH ORDINALITY AS e (version, content, ordinal)
            WHERE in_first + e.ordinal - 1 > last_number;

            INSERT INTO \(schema).replicas AS r (document, replica, last_number)
            VALUES (in_document, in_replica, new_number)
            ON CONFLICT (document, replica) DO UPDATE SET last_number = excluded.last_number;

            last_position := last_position + new_number - last_number;
            UPDATE \(schema).documents AS d SET position = last_position WHERE d.document = in_document;
            RETURN last_position;
        END $reactive$;

        CREATE OR REPLACE FUNCTION \(schema).save(
            in_document text, in_position bigint, in_version bigint, in_content text
        ) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $reactive$
        BEGIN
            IF in_position = 0 THEN
                INSERT INTO \(schema).documents (document, position) VALUES (in_document, 0) ON CONFLICT DO NOTHING;
            END IF;
            IF NOT EXISTS (
                SELECT FROM \(schema).documents AS d WHERE d.document = in_document AND d.position >= in_position
            ) THEN
                RAISE EXCEPTION 'the log ends before position %', in_position
                    USING ERRCODE = '\(State.unknownPosition)';
            END IF;
            INSERT INTO \(schema).snapshots (document, position, version, content)
            VALUES (in_document, in_position, in_version, in_content) ON CONFLICT DO NOTHING;
        END $reactive$;

        CREATE OR REPLACE FUNCTION \(schema).prune(
            in_document text, in_keeping interval, in_limit bigint
        ) RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $reactive$
        DECLARE
            latest bigint;
            first_kept bigint;
            pruned bigint;
        BEGIN
            -- One at a time, so that what is left always is the end of the log.
            IF NOT pg_try_advisory_xact_lock(
                hashtextextended('reactive.prune.' || \(schemaText) || '.' || in_document, 0)
            ) THEN
                RETURN 0;
            END IF;
            SELECT max(s.position) INTO latest FROM \(schema).snapshots AS s WHERE s.document = in_document;
            DELETE FROM \(schema).snapshots AS s WHERE s.document = in_document AND s.position < latest;

            -- Clocks are set, so that times need not rise with positions.
            SELECT coalesce(min(e.position), latest + 1) INTO first_kept FROM (
                SELECT e.position, e.created_at FROM \(schema).entries AS e
                WHERE e.document = in_document AND e.position <= latest ORDER BY e.position LIMIT in_limit + 1
            ) AS e
            WHERE e.created_at > clock_timestamp() - in_keeping;
            DELETE FROM \(schema).entries AS e
            WHERE e.document = in_document AND e.position IN (
                SELECT o.position FROM \(schema).entries AS o
                WHERE o.document = in_document AND o.position < first_kept ORDER BY o.position LIMIT in_limit
            );
            GET DIAGNOSTICS pruned = ROW_COUNT;
            RETURN pruned;
        END $reactive$;

        CREATE TABLE IF NOT EXISTS \(schema).layout (version integer PRIMARY KEY);
        INSERT INTO \(schema).layout (version)
        SELECT \(Self.layoutVersion) WHERE NOT EXISTS (SELECT FROM \(schema).layout);
        """
    }
}
