/**
 * Light or dark: as the system has it, or as somebody chose on this machine. No module, and in front of all
 * else, so that the page is never painted in the wrong colours first.
 */
(() => {
  const KEY = "causeway.theme";
  const NEXT = { system: "light", light: "dark", dark: "system" };
  const SAID = { system: "as the system has them", light: "light", dark: "dark" };

  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // nothing may be kept here
    }
  }

  function apply(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (!button) return;
    button.dataset.theme = theme;
    button.title = `Colours: ${SAID[theme]}`;
    button.setAttribute("aria-label", button.title);
  }

  let theme = stored();
  if (!(theme in NEXT)) theme = "system";
  apply(theme);

  document.addEventListener("DOMContentLoaded", () => {
    apply(theme);
    document.getElementById("theme").addEventListener("click", () => {
      theme = NEXT[theme];
      try {
        if (theme === "system") localStorage.removeItem(KEY);
        else localStorage.setItem(KEY, theme);
      } catch {
        // then it holds for this page only
      }
      apply(theme);
      document.getElementById("announcer").textContent = `Colours: ${SAID[theme]}`;
    });
  });
})();
