#pragma once
#include <curl/curl.h>

// curl_easy_setopt and its kin take a variable argument list, which Swift cannot call: one wrapper per argument type.

static inline CURLcode steady_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode steady_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode steady_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode steady_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode steady_get_pointer(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode steady_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}
static inline CURLMcode steady_set_callbacks(CURLM *multi, curl_socket_callback on_socket,
                                             curl_multi_timer_callback on_timer, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    return curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
// CURLMsg carries its result in a union.
static inline CURLcode steady_message_result(const CURLMsg *message) { return message->data.result; }
