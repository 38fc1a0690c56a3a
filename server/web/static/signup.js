/**
 * Accounts and who is logged in: the page's few requests about them. The key of a session is in a cookie that
 * no
 * script can read; nothing here keeps a password.
 *
 * @module
 */

/** The server said no; `why` is its word for programs, the message is for people. */
export class Refused extends Error {
  /**
   * @param {string} why
   * @param {string} text
   */
  constructor(why, text) {
    super(text);
    this.why = why;
  }
}

/**
 * Who is logged in, and whether this visitor may make an account.
 *
 * @returns {Promise<{account: string | null, may_register: boolean, why?: string}>}
 */
export function session() {
  return request("GET", "/session");
}

/** Log in. @returns {Promise<{account: string}>} */
export function logIn(account, password) {
  return request("POST", "/session", { account, password });
}

/** Make an account and log in with it. @returns {Promise<{account: string}>} */
export function register(account, password) {
  return request("POST", "/account", { account, password });
}

/** Another password; without the old one where this browser made the account. */
export function changePassword(old, password) {
  return request("PUT", "/account", old ? { old, password } : { password });
}

/** Log out. */
export function logOut() {
  return request("DELETE", "/session");
}

async function request(method, path, body) {
  const options = {
    method,
    credentials: "same-origin",
    cache: "no-store",
    headers: { Accept: "application/json" },
  };
  if (body) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  let answer;
  try {
    response = await fetch(path, options);
    const text = await response.text();
    answer = text ? JSON.parse(text) : {};
  } catch {
    throw new Refused("unavailable", "The server does not answer. Try again in a moment.");
  }
  if (!response.ok)
    throw new Refused(answer.why ?? "unavailable", answer.text ?? `The server says ${response.status}.`);
  return answer;
}
