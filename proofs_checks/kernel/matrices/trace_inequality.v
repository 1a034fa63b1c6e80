(* Von Neumann's trace inequality for square matrices of every size (wishart.trace-inequality): |tr(AB)| is at most the
   sum of the products of the singular values, both in decreasing order. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors singular_values.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section summation_by_parts.
Variable R : realFieldType.

Lemma partial_sums (s q : nat -> R) n :
  (forall i, 0 <= s i) -> (forall i, s i.+1 <= s i) -> (forall m, (m <= n)%N -> 0 <= \sum_(i < m) q i) ->
  0 <= \sum_(i < n) s i * q i.
Proof.
move=> s0 dec q0.
suff step m : (m <= n)%N -> (s m.-1 * (\sum_(i < m) q i) <= \sum_(i < m) s i * q i)%R.
  by apply: le_trans (step n (leqnn n)); rewrite mulr_ge0 ?q0.
elim: m => [|m IH] mn; first by rewrite !big_ord0 mulr0.
rewrite !big_ord_recr /= mulrDr ler_add2r; apply: le_trans (IH (ltnW mn)).
by rewrite ler_wpmul2r ?q0 ?(ltnW mn) //; case: m {IH mn} => [|m] /=; [exact: lexx | exact: dec].
Qed.

Variable d : nat.
Definition extended (l : 'rV[R]_d) (n : nat) : R := if insub n is Some i then l 0 i else 0.

Lemma extendedE l (i : 'I_d) : extended l i = l 0 i.
Proof. by rewrite /extended valK. Qed.

Lemma extended_ge0 (l : 'rV[R]_d) n : (forall i, 0 <= l 0 i) -> 0 <= extended l n.
Proof. by move=> l0; rewrite /extended; case: insub. Qed.

Lemma extended_decreasing (l : 'rV[R]_d) n : (forall i, 0 <= l 0 i) -> decreasing l -> extended l n.+1 <= extended l n.
Proof.
move=> l0 dl; rewrite /extended; case: insubP => [i _ iE|_]; last by case: insub.
case: insubP => [j _ jE|]; first by apply: dl; rewrite iE jE.
by rewrite -leqNgt => dn; have := ltn_ord i; rewrite iE ltnNge (leq_trans dn).
Qed.

(* Weights in [0, 1] of sum at most m take at most the m largest values. *)
Lemma weights_take_the_largest (t : 'rV[R]_d) (w : 'I_d -> R) m :
  (forall i, 0 <= t 0 i) -> decreasing t -> (forall k, 0 <= w k <= 1) -> \sum_k w k <= m%:R -> (m <= d)%N ->
  \sum_k t 0 k * w k <= \sum_(k < d | (k < m)%N) t 0 k.
Proof.
move=> t0 dt w01 sw md; pose c := extended t m; have c0 : 0 <= c by exact: extended_ge0.
have cE : c * m%:R - c * (\sum_k w k) = \sum_(k < d) c * ((k < m)%N%:R - w k).
  rewrite -mulrBr -mulr_sumr sumrB; congr (_ * (_ - _)); rewrite -(card_below R md) big_mkcond /=.
  by apply: eq_bigr => k _; case: ifP.
rewrite -subr_ge0; have -> : \sum_(k < d | (k < m)%N) t 0 k - \sum_k t 0 k * w k = \sum_(k < d) t 0 k * ((k < m)%N%:R - w k).
  rewrite big_mkcond -sumrB; apply: eq_bigr => k _; rewrite mulrBr.
  by case: ifP; rewrite ?mulr1 ?mulr0.
apply: le_trans (_ : c * m%:R - c * (\sum_k w k) <= _); first by rewrite subr_ge0 ler_wpmul2l.
rewrite cE; apply: ler_sum => k _; have /andP[wk0 wk1] := w01 k.
have [km|mk] := ltnP k m.
  rewrite ler_wpmul2r ?subr_ge0 //; rewrite /c /extended; case: insubP => [i _ iE|_] //.
  by apply: dt; rewrite iE ltnW.
rewrite sub0r ler_wnmul2r ?oppr_le0 //.
have md' : (m < d)%N by apply: leq_ltn_trans (ltn_ord k).
by rewrite /c /extended insubT /=; apply: dt.
Qed.

Theorem substochastic_pairing (s t : 'rV[R]_d) (M : 'I_d -> 'I_d -> R) :
  (forall i, 0 <= s 0 i) -> (forall i, 0 <= t 0 i) -> decreasing s -> decreasing t -> (forall i k, 0 <= M i k) ->
  (forall i, \sum_k M i k <= 1) -> (forall k, \sum_i M i k <= 1) ->
  \sum_i \sum_k s 0 i * t 0 k * M i k <= \sum_i s 0 i * t 0 i.
Proof.
move=> s0 t0 ds dt M0 rows cols; rewrite -subr_ge0 -sumrB.
pose q : 'rV[R]_d := \row_i (t 0 i - \sum_k t 0 k * M i k).
have qE i : q 0 i = t 0 i - \sum_k t 0 k * M i k by rewrite mxE.
have -> : \sum_i (s 0 i * t 0 i - \sum_k s 0 i * t 0 k * M i k) = \sum_(i < d) extended s i * extended q i.
  apply: eq_bigr => i _; rewrite !extendedE mxE mulrBr mulr_sumr; congr (_ - _).
  by apply: eq_bigr => k _; rewrite mulrA.
apply: partial_sums => [n|n|m md]; [exact: extended_ge0 | exact: extended_decreasing |].
have -> : \sum_(i < m) extended q i = \sum_(i < d | (i < m)%N) q 0 i.
  by rewrite (big_ord_narrow md); apply: eq_bigr => i _; rewrite -extendedE.
have -> : \sum_(i < d | (i < m)%N) q 0 i
    = \sum_(i < d | (i < m)%N) t 0 i - \sum_k t 0 k * (\sum_(i < d | (i < m)%N) M i k).
  rewrite (eq_bigr (fun i => t 0 i - \sum_k t 0 k * M i k)) => [|i _]; last exact: qE.
  rewrite sumrB exchange_big /=; congr (_ - _).
  by apply: eq_bigr => k _; rewrite mulr_sumr.
rewrite subr_ge0; apply: weights_take_the_largest => // [k|].
  rewrite sumr_ge0 //=; apply: le_trans (cols k).
  by rewrite [X in _ <= X](bigID (fun i : 'I_d => (i < m)%N)) /= ler_addl sumr_ge0.
rewrite exchange_big /= -(card_below R md); apply: ler_sum => i _; exact: rows.
Qed.

End summation_by_parts.

Section von_neumann.
Variable R : rcfType.
Variable d : nat.
Implicit Types (A B Q U : 'M[R]_d) (s t : 'rV[R]_d) (x : 'cV[R]_d).

(* Columns that are orthonormal but for some zeros. *)
Lemma partial_frame_bessel U (e : 'I_d -> bool) x :
  U^T *m U = diag_mx (\row_i (e i)%:R) -> \sum_i dot (col i U) x ^+ 2 <= norm2 x.
Proof.
move=> UU; have -> : \sum_i dot (col i U) x ^+ 2 = norm2 (U^T *m x).
  by apply: eq_bigr => i _; rewrite coordinate expr2.
have e2 : norm2 (U *m (U^T *m x)) = norm2 (U^T *m x) -> norm2 (U^T *m x) <= norm2 x.
  move=> same; rewrite -subr_ge0.
  have -> : norm2 x - norm2 (U^T *m x) = norm2 (x - U *m (U^T *m x)); last exact: norm2_ge0.
  have cross : dot x (U *m (U^T *m x)) = norm2 (U^T *m x) by rewrite dot_mulr.
  by rewrite norm2D dotNr cross -scaleN1r norm2Z same sqrrN expr1n; ring.
apply: e2; rewrite /norm2 [LHS]dot_mulr [U^T *m (U *m _)]mulmxA UU.
have cut : diag_mx (\row_i (e i)%:R) *m (U^T *m x) = U^T *m x; last by rewrite cut.
apply/colP => i; rewrite mul_diag_mx mxE mxE coordinate; case ei: (e i); rewrite ?mul1r // mul0r.
have : norm2 (col i U) = 0.
  have := congr1 (fun M : 'M[R]_d => M i i) UU; rewrite !mxE eqxx ei mulr1n => e0; rewrite -[RHS]e0.
  by apply: eq_bigr => h _; rewrite !mxE.
by move/eqP; rewrite norm2_eq0 => /eqP ->; rewrite dotC dot0r.
Qed.

Lemma left_vectors Q s A : singular_values Q s A ->
  exists U, A *m Q = U *m diag_mx s /\ U^T *m U = diag_mx (\row_i (s 0 i != 0)%:R).
Proof.
move=> [S s0]; have [QQ AE _] := S.
have gram : (A *m Q)^T *m (A *m Q) = diag_mx (\row_i s 0 i ^+ 2).
  by rewrite trmx_mul -mulmxA (mulmxA A^T) AE !mulmxA QQ mul1mx -mulmxA QQ mulmx1.
exists (A *m Q *m diag_mx (\row_i (s 0 i)^-1)); split.
  apply/matrixP => h i; rewrite -mulmxA mulmx_diag mul_mx_diag !mxE.
  have [si|si] := eqVneq (s 0 i) 0; last by rewrite mulVf // mulr1.
  have : norm2 (col i (A *m Q)) = 0.
    have := congr1 (fun M : 'M[R]_d => M i i) gram; rewrite mxE [RHS]mxE eqxx mxE si expr0n mulr1n => e0; rewrite -[RHS]e0.
    by apply: eq_bigr => k _; rewrite [_^T _ _]mxE -[col _ _ _ _]/((col i (A *m Q)) k 0) !mxE.
  move/eqP; rewrite norm2_eq0 => /eqP/colP/(_ h); rewrite !mxE => ->.
  by rewrite mul0r.
have calc (G D : 'M[R]_d) : (G *m D)^T *m (G *m D) = D^T *m (G^T *m G) *m D by rewrite trmx_mul !mulmxA.
rewrite calc gram tr_diag_mx !mulmx_diag; congr (diag_mx _); apply/rowP => i.
rewrite !mxE; have [->|si] := eqVneq (s 0 i) 0; first by rewrite invr0 !mul0r.
by rewrite expr2 mulrA mulVf // mul1r mulfV.
Qed.

(* wishart.trace-inequality. *)
Theorem von_neumann_trace_inequality V s A Y t B :
  singular_values V s A -> singular_values Y t B -> `|\tr (A *m B)| <= \sum_i s 0 i * t 0 i.
Proof.
move=> HA HB; have [SA s0] := HA; have [SB t0] := HB; have [VV _ dA] := SA; have [YY _ dB] := SB.
have [U [AV UU]] := left_vectors HA; have [Z [BY ZZ]] := left_vectors HB.
have sqdec (r : 'rV[R]_d) : (forall i, 0 <= r 0 i) -> decreasing (\row_i r 0 i ^+ 2) -> decreasing r.
  by move=> r0 dr i j ij; have := dr i j ij; rewrite !mxE ler_pexpn2r ?nnegrE.
pose p i k := dot (col i V) (col k Z); pose q i k := dot (col k Y) (col i U).
have trE : \tr (A *m B) = \sum_i \sum_k s 0 i * t 0 k * (p i k * q i k).
  have -> : \tr (A *m B) = \tr (V^T *m (B *m Y) *m (Y^T *m (A *m V))).
    rewrite -!mulmxA [Y *m (Y^T *m _)]mulmxA (frame_right YY) mul1mx mxtrace_mulC [in RHS]mxtrace_mulC.
    by rewrite -!mulmxA (frame_right VV) mulmx1.
  rewrite AV BY [V^T *m _]mulmxA [Y^T *m _]mulmxA; apply: eq_bigr => i _; rewrite mxE; apply: eq_bigr => k _.
  have -> : (V^T *m Z *m diag_mx t) i k = p i k * t 0 k.
    by rewrite mul_mx_diag mxE; congr (_ * _); rewrite mxE; apply: eq_bigr => h _; rewrite !mxE.
  have -> : (Y^T *m U *m diag_mx s) k i = q i k * s 0 i.
    by rewrite mul_mx_diag mxE; congr (_ * _); rewrite mxE; apply: eq_bigr => h _; rewrite !mxE.
  ring.
pose M i k := (p i k ^+ 2 + q i k ^+ 2) / 2%:R.
have M0 i k : 0 <= M i k by rewrite divr_ge0 ?ler0n // addr_ge0 ?sqr_ge0.
have half (u v : R) : u <= 1 -> v <= 1 -> (u + v) / 2%:R <= 1.
  by move=> u1 v1; rewrite ler_pdivr_mulr ?ltr0n // mul1r -[2%:R]/(1 + 1) ler_add.
have unit (F : 'M[R]_d) (e : 'I_d -> bool) i : F^T *m F = diag_mx (\row_i (e i)%:R) -> norm2 (col i F) <= 1.
  move=> FF; have := congr1 (fun N : 'M[R]_d => N i i) FF; rewrite !mxE eqxx mulr1n => ee.
  have -> : norm2 (col i F) = (e i)%:R by rewrite -ee; apply: eq_bigr => h _; rewrite !mxE.
  by case: (e i); rewrite ?lexx ?ler01.
have basis (F : 'M[R]_d) x : frame F -> \sum_i dot (col i F) x ^+ 2 = norm2 x by move=> FF; rewrite -norm2_coordinates.
have bound : \sum_i \sum_k s 0 i * t 0 k * M i k <= \sum_i s 0 i * t 0 i.
  apply: substochastic_pairing => //; [exact: sqdec | exact: sqdec | move=> i | move=> k].
    rewrite -mulr_suml big_split /=; apply: half.
      under eq_bigr do rewrite /p dotC.
      by apply: le_trans (partial_frame_bessel _ ZZ) _; rewrite norm2_col.
    by rewrite basis //; exact: (unit _ _ _ UU).
  rewrite -mulr_suml big_split /=; apply: half.
    by rewrite basis //; exact: (unit _ _ _ ZZ).
  under eq_bigr do rewrite /q dotC.
  by apply: le_trans (partial_frame_bessel _ UU) _; rewrite norm2_col.
apply: le_trans bound; rewrite trE; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i _.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => k _.
rewrite normrM ger0_norm ?mulr_ge0 // ler_wpmul2l ?mulr_ge0 // ler_pdivl_mulr ?ltr0n // normrM.
rewrite -(real_normK (num_real (p i k))) -(real_normK (num_real (q i k))) -subr_ge0.
have -> : `|p i k| ^+ 2 + `|q i k| ^+ 2 - `|p i k| * `|q i k| * 2%:R = (`|p i k| - `|q i k|) ^+ 2 by ring.
exact: sqr_ge0.
Qed.

End von_neumann.
