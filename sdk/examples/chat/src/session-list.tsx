import type { UseOracleSessionsReturn } from "@hearth/oracles-client-sdk";

type Props = { list: UseOracleSessionsReturn; sessionId: string | undefined; onChoose: (sessionId: string) => void };

export function SessionList({ list, sessionId, onChoose }: Props) {
  const { sessions = [], createSession, deleteSession, hasMore, loadMore, isCreatingSession } = list;
  // `failure` shows errors.
  const begin = () =>
    createSession().then(
      (made) => onChoose(made.sessionId),
      () => {},
    );
  const remove = (id: string) => deleteSession(id).catch(() => {});
  const failure = list.createSessionError ?? list.deleteSessionError;
  return (
    <nav aria-label="Sessions">
      <button type="button" className="primary" disabled={isCreatingSession} onClick={() => void begin()}>
        New session
      </button>
      <ul>
        {sessions.map(({ sessionId: id, title }) => (
          <li key={id} aria-current={id === sessionId ? "true" : undefined}>
            <button type="button" onClick={() => onChoose(id)}>
              {title}
            </button>
            <button type="button" aria-label={`Delete ${title}`} onClick={() => void remove(id)}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" onClick={() => void loadMore()}>
          Older sessions
        </button>
      )}
      {failure !== undefined && <p role="alert">{failure.message}</p>}
    </nav>
  );
}
